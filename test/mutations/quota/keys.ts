import type { Mutations } from '../mutation.ts';

/** The owner of a key, and whether the key can be used. */
export const keys: Mutations[] = [
  {
    file: 'src/accounts/keys/key-cache.ts',
    tests: ['accounts/keys/unknown-keys.test.ts'],
    changes: [
      ['before.readByStatement > readByStatement', 'before.readByStatement < readByStatement'],
      ['else absentHashes.delete(hash)', 'else void hash'],
      ['    ttl: UNKNOWN_FOR,\n', ''],
      ['if (!isDeepStrictEqual(before.holder, holder)) ', ''],
      ['elapsed - syncedAt > TRUSTED_FOR', 'elapsed - syncedAt > TRUSTED_FOR * SECOND'],
      ['!users.has(known.holder.user.key) || ', ''],
    ],
  },
  {
    file: 'src/accounts/gate/presented-key.ts',
    tests: ['accounts/gate/presented-key.test.ts'],
    changes: [
      ["name !== '' && password !== ''", 'name === password'],
      ['!hasOwn || ', 'hasOwn || '],
      [' === 1) return [authorization]', ' > 0) return [authorization]'],
      ['others.length === 0 ? key : undefined', 'key'],
    ],
  },
  {
    file: 'src/core/log.ts',
    tests: ['accounts/keys/api-key.test.ts'],
    changes: [["masked.includes('cXRf') || ", '']],
  },
  {
    file: 'src/accounts/keys/key-cache.ts',
    tests: ['accounts/keys/identities.test.ts'],
    changes: [
      ['found.isForgotten || ', ''],
      ['entries.size <= most', 'entries.size < most'],
      ['now >= expiresAt', 'now > expiresAt'],
      ['now >= user.validUntil', 'now > user.validUntil'],
      [' && !allowExpired', ''],
      [' && !allowSuspended', ''],
    ],
  },
  {
    file: 'src/accounts/users/users.ts',
    tests: ['accounts/users/user-life-cycle.store.test.ts'],
    changes: [['graceSeconds * SECOND', 'graceSeconds']],
  },
  {
    file: 'src/accounts/users/users.ts',
    tests: ['accounts/keys/restricted.store.test.ts'],
    changes: [
      ["holder.scopes.includes('account') ? record", 'true ? record'],
      ["holder.scopes.includes('account') ? record", "holder.scopes.includes('prices') ? record"],
    ],
  },
  {
    file: 'src/accounts/keys/key-store.ts',
    tests: ['accounts/keys/user-keys.store.test.ts'],
    changes: [
      ['FROM live) < ${MAX_KEYS_PER_USER}', 'FROM live) <= ${MAX_KEYS_PER_USER}'],
      ['ORDER BY dead_at DESC OFFSET', 'ORDER BY dead_at OFFSET'],
      ['least(revoked_at, expires_at) < ', 'least(revoked_at, expires_at) > '],
    ],
  },
  {
    file: 'src/accounts/keys/key-store.ts',
    tests: ['accounts/keys/owner.store.test.ts', 'accounts/keys/restricted.store.test.ts'],
    changes: [
      ['owns AND hash = coalesce(', 'hash = coalesce('],
      ['`owns OR is_owner AND', '`true OR is_owner AND'],
      ['is_owner AND dead_at > ', 'is_owner AND dead_at < '],
      ['`EXISTS (SELECT 1 FROM mine WHERE owns)`', '`true`'],
      ['              < ${MAX_KEYS_PER_USER}', '              <= ${MAX_KEYS_PER_USER}'],
      ['FROM api_key WHERE user_key = ${userKey})`', 'FROM api_key)`'],
    ],
  },
  {
    file: 'src/accounts/keys/change-user-store.ts',
    tests: [
      'accounts/keys/owner-changes.store.test.ts',
      'accounts/keys/owner-changes.server.test.ts',
      'accounts/keys/owner.store.test.ts',
    ],
    changes: [
      [' FOR NO KEY UPDATE', ''],
      [' AND replaced_at IS NULL', ''],
      [' AND revoked_at IS NULL', ''],
      ['if (owners.length === 0) return false;', ''],
      [' AND erased_at IS NULL', ''],
    ],
  },
  {
    file: 'src/accounts/keys/key-use-store.ts',
    tests: ['accounts/keys/key-use-store.server.test.ts'],
    changes: [
      [' SKIP LOCKED', ''],
      ['EXCEPT SELECT id FROM written', 'WHERE false'],
      ['k.last_used_at < u.at OR', 'true OR'],
      ['coalesce(l.origin, k.seen_origin)', 'l.origin'],
    ],
  },
  {
    file: 'src/accounts/keys/key-cache.ts',
    tests: ['accounts/keys/key-use.test.ts'],
    changes: [
      ['holder.usedMinute === minute && ', ''],
      ['endOf(holder, clock.now(), { allowExpired: true })', 'endOf(holder, clock.now())'],
    ],
  },
  {
    file: 'src/accounts/keys/key-use.ts',
    tests: ['accounts/keys/key-use.test.ts'],
    changes: [
      ['.take(WRITTEN_AT_ONCE)', ''],
      ['for (const key of keys) if (missed.has(key.id)) unwritten.add(key);', ''],
      ['    for (const key of keys) unwritten.add(key);\n', ''],
      ['.filter(counts)', ''],
    ],
  },
  {
    file: 'src/accounts/keys/key-cache.ts',
    tests: ['accounts/keys/restricted.store.test.ts'],
    changes: [["replacedAt === undefined ? 'over'", "replacedAt !== undefined ? 'over'"]],
  },
  {
    file: 'src/accounts/gate/key-checks.ts',
    tests: ['accounts/keys/restricted.store.test.ts'],
    changes: [
      ["wanted === 'any' || ", "wanted !== 'any' && "],
      ['scopes.includes(wanted)', 'scopes.length > 0'],
    ],
  },
  {
    file: 'src/accounts/gate/gate.ts',
    tests: ['server/replies/fast-path.test.ts'],
    changes: [["|| !covers(caller, 'account')", '']],
  },
  {
    file: 'src/accounts/gate/key-checks.ts',
    tests: ['server/replies/fast-path.test.ts'],
    changes: [
      ["site === 'same-origin' || ", ''],
      ['hostIn(origin) === host', "hostIn(origin) === ''"],
    ],
  },
  {
    file: 'src/accounts/gate/allowance.ts',
    tests: ['accounts/keys/last-use.store.test.ts'],
    changes: [[', writeAllUse(withinMs)]', ']']],
  },
  {
    file: 'src/accounts/users/routes-keys.ts',
    tests: ['accounts/keys/owner.store.test.ts', 'accounts/keys/restricted.store.test.ts'],
    changes: [
      ["scope: 'account' }", "scope: 'any' }"],
      ['config: { ...facts, allowExpired: true }', 'config: facts'],
      ['  neverStored(app);\n', ''],
      ['id > LARGEST_ID', 'id < 0'],
    ],
  },
  {
    file: 'src/accounts/keys/user-store.ts',
    tests: ['accounts/keys/lost-changes.store.test.ts'],
    changes: [
      ['AND created_at = ${createdAt}::timestamptz AND', 'AND'],
      [' AND changed_at >= ${changedAt}::timestamptz', ''],
    ],
  },
  {
    file: 'src/accounts/keys/key-cache.ts',
    tests: ['accounts/keys/lost-changes.store.test.ts'],
    changes: [['    for (const known of holderByHash.values()) known.isForgotten = true;\n', '']],
  },
  {
    file: 'src/accounts/keys/user-store.ts',
    tests: ['accounts/users/user-life-cycle.store.test.ts'],
    changes: [[', changed_at = clock_timestamp() ${change}', ' ${change}']],
  },
];
