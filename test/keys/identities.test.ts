import { expect, it } from 'vitest';
import { systemClock } from '#core/clock';
import { hashApiKey, mintApiKey, OWNER_SCOPES } from '#keys/api-key';
import { createKeyCache } from '#keys/key-cache';
import type { KeyHolderStore } from '#keys/key-holder-store';
import { type KeyHolder, refuseEnded } from '#keys/key-validity';

function holderOf(key: number, apiKey: string): KeyHolder {
  const term = { anchor: 0, createdAt: 0, validUntil: Number.MAX_SAFE_INTEGER, updatedAt: 0 };
  const state = { next: undefined, suspension: undefined };
  const user = { key, name: 'Ada', email: 'ada@example.org', plan: 'monthly' as const, limit: 10, ...term, ...state };
  return {
    hash: hashApiKey(apiKey),
    id: key,
    user,
    scopes: OWNER_SCOPES,
    replacedAt: undefined,
    expiresAt: undefined,
    revokedAt: undefined,
    dailyLimit: undefined,
    allowedOrigins: undefined,
    url: false,
  };
}

it('looks a key up again after its eviction from the cache, and returns its current state', async () => {
  const apiKeys = Array.from({ length: 5 }, mintApiKey) as [string, string, string, string, string];
  const holders = new Map(apiKeys.map((apiKey, key) => [hashApiKey(apiKey), holderOf(key, apiKey)]));
  const changed: KeyHolder[] = [];
  const store: Pick<KeyHolderStore, 'findByHashes' | 'changedSince'> = {
    // Not in the requested order, because a database may return rows in any order.
    findByHashes: async (hashes) => hashes.toReversed().flatMap((hash) => holders.get(hash) ?? []),
    changedSince: async (_, listed) => {
      listed();
      return {
        holders: changed.splice(0),
        users: new Set<number>(),
        crowded: new Set<number>(),
        isRewound: false,
        cursor: { asOf: '', seen: new Map(), newest: undefined },
      };
    },
  };
  const keyCache = createKeyCache({ store: store as KeyHolderStore, clock: systemClock, knownKeys: 3 });
  const atOnce = (apiKey: string) => keyCache.holderAtOnce(apiKey, systemClock.elapsed());
  const revoke = async (apiKey: string) => {
    const holder = { ...(holders.get(hashApiKey(apiKey)) as KeyHolder), revokedAt: 1 };
    holders.set(holder.hash, holder);
    changed.push(holder);
    await keyCache.sync();
  };
  // Looks up the first key alone while the others wait, and returns the others in reverse order.
  const [, early, late, ...others] = apiKeys;
  await Promise.all(apiKeys.slice(0, 3).map(keyCache.holderOf));
  await revoke(early);
  expect(atOnce(early)?.revokedAt).toBe(1);
  expect(atOnce(late)?.user.key).toBe(2);

  for (const apiKey of others) await keyCache.holderOf(apiKey);
  await revoke(late);
  expect(atOnce(late)).toBeUndefined();
  for (const apiKey of [early, late]) expect((await keyCache.holderOf(apiKey)).revokedAt).toBe(1);
});

const END = Date.UTC(2026, 4, 10);

it.each<[string, Partial<KeyHolder>, string | undefined]>([
  ['was revoked', { revokedAt: END - 1 }, 'This API key was revoked.'],
  ['was replaced, at the end of its grace period', { replacedAt: 1, expiresAt: END }, 'was replaced by another key'],
  ['was replaced, during its grace period', { replacedAt: 1, expiresAt: END + 1 }, undefined],
  ['has an expiry, from then on', { expiresAt: END }, 'expired at 2026-05-10T00:00:00.000Z. Create another key'],
  ['has an expiry, before that', { expiresAt: END + 1 }, undefined],
])('a key that %s', (_what, facts, message) => {
  const refuse = () => refuseEnded({ ...holderOf(1, mintApiKey()), ...facts }, END, { allowExpired: true });
  if (message === undefined) expect(refuse).not.toThrow();
  else expect(refuse).toThrow(message);
});

it('a key of a suspended user is accepted only if the route allows it', () => {
  const holder = holderOf(1, mintApiKey());
  const suspended = { ...holder, user: { ...holder.user, suspension: { since: END, reason: 'Abuse' } } };
  expect(() => refuseEnded(suspended, END, {})).toThrow('suspended this account at 2026-05-10T00:00:00.000Z');
  expect(() => refuseEnded(suspended, END, { allowSuspended: true })).not.toThrow();
});

it('a key is accepted until the term of its user ends, and then only if the route allows it', () => {
  const holder = holderOf(1, mintApiKey());
  const lapsed = { ...holder, user: { ...holder.user, validUntil: END } };
  expect(() => refuseEnded(lapsed, END - 1, {})).not.toThrow();
  expect(() => refuseEnded(lapsed, END, {})).toThrow('expired at 2026-05-10T00:00:00.000Z. Renew it');
  expect(() => refuseEnded(lapsed, END, { allowExpired: true })).not.toThrow();
});
