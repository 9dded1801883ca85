import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { MINUTE } from '#core/clock';
import { hashApiKey, mintApiKey, OWNER_SCOPES } from '#keys/api-key';
import { createKeyCache } from '#keys/key-cache';
import type { KeyHolderStore } from '#keys/key-holder-store';
import type { KeyHolder } from '#keys/key-validity';
import { type HandClock, handClock } from '../ledger/allowance-harness.ts';

const START = Date.UTC(2026, 4, 10, 12);

let clock: HandClock;
let registered: Map<string, KeyHolder>;
let lookups: string[][];
let responding: Promise<void>;
/** Until then, the changed users are not known. */
let listing: Promise<void>;
/** Users whose ended keys may have been deleted. If there are any, only their keys are returned. */
let crowded: Set<number>;
beforeEach(() => {
  clock = handClock(START);
  registered = new Map();
  lookups = [];
  responding = Promise.resolve();
  listing = Promise.resolve();
  crowded = new Set();
});

/** A store with a few keys. It records its look-ups, and returns its content at the time of the look-up. */
function open() {
  const store = {
    async findByHashes(hashes: readonly string[]) {
      lookups.push([...hashes]);
      const found = hashes.flatMap((hash) => registered.get(hash) ?? []);
      await responding;
      return found;
    },
    async changedSince(_: unknown, listed: () => void) {
      await listing;
      listed();
      return {
        holders: [...registered.values()].filter(({ user }) => crowded.size === 0 || crowded.has(user.key)),
        users: new Set<number>(),
        crowded,
        isRewound: false,
        cursor: { asOf: 'now', seen: new Map(), newest: undefined },
      };
    },
  };
  return createKeyCache({ store: store as Pick<KeyHolderStore, keyof typeof store> as KeyHolderStore, clock });
}

function register(apiKey: string, change: Partial<KeyHolder> = {}): string {
  const hash = hashApiKey(apiKey);
  const user = { key: 1 } as KeyHolder['user'];
  registered.set(hash, {
    hash,
    id: 1,
    user,
    scopes: OWNER_SCOPES,
    replacedAt: undefined,
    expiresAt: undefined,
    revokedAt: undefined,
    dailyLimit: undefined,
    allowedOrigins: undefined,
    url: false,
    ...change,
  });
  return apiKey;
}

const rejection = async (holder: () => unknown) => {
  try {
    await holder();
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe('an unknown key', () => {
  it('is rejected without a look-up if its checksum is wrong', async () => {
    const keyCache = open();
    const key = mintApiKey();
    const slip = key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A');
    for (const wrong of [slip, 'nonsense', '', key.toLowerCase(), `${key}x`]) {
      expect(await rejection(() => keyCache.holderOf(wrong))).toBe('api_key_invalid');
    }
    expect(lookups).toEqual([]);
  });

  it('is looked up once a minute, even if many calls arrive at the same time', async () => {
    const keyCache = open();
    const key = mintApiKey();
    const [first, other] = [rejection(() => keyCache.holderOf(mintApiKey())), rejection(() => keyCache.holderOf(key))];
    const more = Array.from({ length: 20 }, () => rejection(() => keyCache.holderOf(key)));
    expect(new Set(await Promise.all([first, other, ...more]))).toEqual(new Set(['api_key_invalid']));
    const times = () => lookups.flat().filter((hash) => hash === hashApiKey(key)).length;
    expect(times()).toBe(1);
    clock.pass(MINUTE - 1);
    await rejection(() => keyCache.holderOf(key));
    expect(times()).toBe(1);
    clock.pass(2);
    await rejection(() => keyCache.holderOf(key));
    expect(times()).toBe(2);
  });

  it('is accepted as soon as it belongs to a user', async () => {
    const keyCache = open();
    const key = mintApiKey();
    expect(await rejection(() => keyCache.holderOf(key))).toBe('api_key_invalid');
    register(key);
    await keyCache.sync();
    expect(await rejection(() => keyCache.holderOf(key))).toBeUndefined();
  });
});

describe('the cached state of a key', () => {
  it('is not overwritten by a look-up that started before the key changed', async () => {
    const keyCache = open();
    const key = register(mintApiKey());
    const { promise, resolve } = Promise.withResolvers<void>();
    responding = promise;
    const early = keyCache.holderOf(key);
    await expect.poll(() => lookups.length).toBe(1);
    register(key, { revokedAt: START });
    await keyCache.sync();
    resolve();
    expect(await early).toMatchObject({ revokedAt: START });
    expect(await keyCache.holderOf(key)).toMatchObject({ revokedAt: START });
  });

  it.each(['before', 'after'])(
    'is not overwritten by a look-up that ran during a poll, and ended %s it',
    async (order) => {
      const keyCache = open();
      const key = register(mintApiKey());
      const [lookUp, poll] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      [responding, listing] = [lookUp.promise, poll.promise];
      const polled = keyCache.sync();
      const early = keyCache.holderOf(key);
      await expect.poll(() => lookups.length).toBe(1);
      register(key, { revokedAt: START });
      if (order === 'before') lookUp.resolve();
      if (order === 'before') await early;
      poll.resolve();
      await polled;
      lookUp.resolve();
      await early;
      expect(await keyCache.holderOf(key)).toMatchObject({ revokedAt: START });
    },
  );

  it('stays the same object while nothing changes, because rates are kept for it', async () => {
    const keyCache = open();
    const key = register(mintApiKey());
    const before = await keyCache.holderOf(key);
    register(key);
    await keyCache.sync();
    expect(await keyCache.holderOf(key)).toBe(before);
  });

  it('is valid for at most 18 s after the last poll for changes', async () => {
    const keyCache = open();
    const key = register(mintApiKey());
    const holder = await keyCache.holderOf(key);
    clock.pass(18_000);
    expect(keyCache.holderAtOnce(key, clock.elapsed())).toBe(holder);
    clock.pass(1);
    expect(keyCache.holderAtOnce(key, clock.elapsed())).toBeUndefined();
    expect(await rejection(() => keyCache.holderOf(key))).toBe('database_unavailable');
    await keyCache.sync();
    expect(await keyCache.holderOf(key)).toBe(holder);
  });

  it('is found by the hash and by the text of the key with one look-up', async () => {
    const keyCache = open();
    const key = register(mintApiKey());
    const holder = await keyCache.holderOfHash(hashApiKey(key));
    expect(await keyCache.holderOf(key)).toBe(holder);
    expect(lookups).toHaveLength(1);
  });

  it('is removed when the key is deleted, without affecting other keys', async () => {
    const keyCache = open();
    const [deleted, kept] = [register(mintApiKey()), register(mintApiKey())];
    const other = register(mintApiKey(), { user: { key: 2 } as KeyHolder['user'] });
    for (const key of [deleted, kept, other]) await keyCache.holderOf(key);
    registered.delete(hashApiKey(deleted));
    crowded = new Set([1]);
    await keyCache.sync();
    const known = [deleted, kept, other].map((key) => keyCache.holderAtOnce(key, clock.elapsed())?.user.key);
    expect(known).toEqual([undefined, 1, 2]);
    expect(await rejection(() => keyCache.holderOfHash(hashApiKey(deleted)))).toBe('api_key_invalid');
  });
});

it('50,000 unknown keys use little memory, and a known key is served in the meantime', async () => {
  const script = `
    import { hashApiKey, mintApiKey } from './src/keys/api-key.ts';
    import { systemClock } from './src/core/clock.ts';
    import { createKeyCache } from './src/keys/key-cache.ts';
    const known = mintApiKey();
    const holder = { hash: hashApiKey(known), user: { key: 1 } };
    const store = {
      async findByHashes(hashes) {
        await new Promise(setImmediate);
        return hashes.includes(holder.hash) ? [holder] : [];
      },
    };
    const keyCache = createKeyCache({ store, clock: systemClock });
    await keyCache.holderOf(known);
    gc();
    const before = process.memoryUsage().heapUsed;
    const codes = {};
    let served = 0;
    for (let n = 0; n < 50; n++) {
      const flood = Array.from({ length: 1_000 }, async () => keyCache.holderOf(mintApiKey()));
      if (keyCache.holderOf(known).hash === holder.hash) served += 1;
      for (const { reason } of await Promise.allSettled(flood)) codes[reason?.code] = (codes[reason?.code] ?? 0) + 1;
    }
    gc();
    const grown = process.memoryUsage().heapUsed - before;
    console.log(JSON.stringify({ codes, served, grown }));`;
  const run = promisify(execFile)(process.execPath, ['--expose-gc', '--input-type=module', '-e', script]);
  const { codes, served, grown } = JSON.parse((await run).stdout) as {
    codes: Record<string, number>;
    served: number;
    grown: number;
  };
  expect(codes).toEqual({ api_key_invalid: 50_000 });
  expect(served).toBe(50);
  expect(grown).toBeLessThan(12 * 2 ** 20);
});
