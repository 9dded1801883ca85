import { expect, it } from 'vitest';
import { hashApiKey, mintApiKey, OWNER_SCOPES } from '#accounts/keys/api-key';
import { createKeyCache, refuseEnded } from '#accounts/keys/key-cache';
import type { KeyHolder, UserStore } from '#accounts/keys/user-store';
import { systemClock } from '#core/clock';

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
  };
}

it('looks a key up again after its eviction from the cache, and returns its current state', async () => {
  const apiKeys = Array.from({ length: 5 }, mintApiKey) as [string, string, string, string, string];
  const holders = new Map(apiKeys.map((apiKey, key) => [hashApiKey(apiKey), holderOf(key, apiKey)]));
  const changed: KeyHolder[] = [];
  const store: Pick<UserStore, 'findByHashes' | 'changedSince'> = {
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
  const keyCache = createKeyCache({ store: store as UserStore, clock: systemClock, knownKeys: 3 });
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
const ended = ({
  validUntil = END + 1,
  ...facts
}: {
  replacedAt?: number;
  expiresAt?: number;
  revokedAt?: number;
  validUntil?: number;
}): KeyHolder => {
  const holder = holderOf(1, mintApiKey());
  return { ...holder, ...facts, user: { ...holder.user, validUntil } };
};

it.each([
  ['was revoked', { revokedAt: END - 1 }, 'api_key_revoked'],
  ['was replaced, at the end of its grace period', { replacedAt: 1, expiresAt: END }, 'api_key_revoked'],
  ['was replaced, during its grace period', { replacedAt: 1, expiresAt: END + 1 }, undefined],
  ['has an expiry date, from then on', { expiresAt: END }, 'api_key_expired'],
  ['has an expiry date, before that', { expiresAt: END + 1 }, undefined],
  ['has a lapsed term, from the end of the term', { validUntil: END }, 'api_key_expired'],
  ['has a current term', {}, undefined],
])('a key that %s', (_what, facts, code) => {
  const refuse = () => refuseEnded(ended(facts), END, {});
  if (code === undefined) expect(refuse).not.toThrow();
  else expect(refuse).toThrow(expect.objectContaining({ code }));
});

it("accepts an expired user's key if the caller allows it, but never a revoked or expired key", () => {
  expect(() => refuseEnded(ended({ validUntil: END }), END, { allowExpired: true })).not.toThrow();
  expect(() => refuseEnded(ended({ revokedAt: END }), END, { allowExpired: true })).toThrow('was revoked');
  expect(() => refuseEnded(ended({ expiresAt: END }), END, { allowExpired: true })).toThrow('expired at 2026-05-10');
});
