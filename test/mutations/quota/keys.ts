import type { Mutations } from '../mutation.ts';

/** Whose a key is, and whether it may be used. */
export const keys: Mutations[] = [
  {
    file: 'src/accounts/keys/key-cache.ts',
    tests: ['services/quota/keys/unknown-keys.test.ts'],
    changes: [
      ['before.readByStatement > readByStatement', 'before.readByStatement < readByStatement'],
      ['else absentHashes.delete(hash)', 'else void hash'],
      ['    ttl: UNKNOWN_FOR,\n', ''],
      ['if (!isDeepStrictEqual(before.holder, holder)) ', ''],
      ['elapsed - syncedAt > TRUSTED_FOR', 'elapsed - syncedAt > TRUSTED_FOR * SECOND'],
      ['users.has(holder.user.key) && ', ''],
    ],
  },
  {
    file: 'src/accounts/gate/presented-key.ts',
    tests: ['http/pipeline/presented-key.test.ts'],
    changes: [
      ["name !== '' && password !== ''", 'name === password'],
      ['!hasOwn || ', 'hasOwn || '],
      [' === 1) return [authorization]', ' > 0) return [authorization]'],
      ['others.length === 0 ? key : undefined', 'key'],
    ],
  },
  {
    file: 'src/accounts/keys/api-key.ts',
    tests: ['domain/quota/api-key.test.ts'],
    changes: [["masked.includes('cXRf') || ", '']],
  },
  {
    file: 'src/accounts/keys/key-cache.ts',
    tests: ['services/quota/keys/identities.test.ts'],
    changes: [['found.isForgotten || ', '']],
  },
  {
    file: 'src/accounts/gate/key-problems.ts',
    tests: ['services/quota/keys/identities.test.ts'],
    changes: [
      ['now >= expiresAt', 'now > expiresAt'],
      ['now >= user.validUntil', 'now > user.validUntil'],
      ['if (end === undefined || allowExpired)', 'if (end === undefined)'],
    ],
  },
  {
    file: 'src/accounts/users/users.ts',
    tests: ['routes/users/user-life.store.test.ts'],
    changes: [['graceSeconds * SECOND', 'graceSeconds']],
  },
  {
    file: 'src/accounts/keys/key-store.ts',
    tests: ['routes/users/user-keys.store.test.ts'],
    changes: [
      ['FROM live) < ${MAX_KEYS_PER_USER}', 'FROM live) <= ${MAX_KEYS_PER_USER}'],
      ['ORDER BY dead_at DESC OFFSET', 'ORDER BY dead_at OFFSET'],
      ['least(revoked_at, expires_at) < ', 'least(revoked_at, expires_at) > '],
    ],
  },
  {
    file: 'src/accounts/keys/key-store.ts',
    tests: ['routes/keys/owner.store.test.ts', 'routes/keys/restricted.store.test.ts'],
    changes: [
      ['EXISTS (SELECT 1 FROM mine WHERE owns AND hash = ${presented})', 'true'],
      ['(owns OR ${isRecovery} AND', '(true OR ${isRecovery} AND'],
      ['is_owner AND dead_at > ', 'is_owner AND dead_at < '],
      ['OR EXISTS (SELECT 1 FROM mine WHERE owns))', 'OR true)'],
      ['              < ${MAX_KEYS_PER_USER}', '              <= ${MAX_KEYS_PER_USER}'],
      [' AND NOT is_owner RETURNING', ' RETURNING'],
      ['WHERE key = ${userKey} AND is_living AND is_known', 'WHERE key = ${userKey} AND is_known'],
      ['FROM api_key WHERE user_key = ${userKey})`', 'FROM api_key)`'],
    ],
  },
  {
    file: 'src/accounts/keys/key-use-store.ts',
    tests: ['stores/quota/key-use.server.test.ts'],
    changes: [
      [' SKIP LOCKED', ''],
      ['EXCEPT SELECT id FROM written', 'WHERE false'],
      ['k.last_used_at < u.at OR', 'true OR'],
      ['coalesce(l.origin, k.seen_origin)', 'l.origin'],
    ],
  },
  {
    file: 'src/accounts/keys/key-use.ts',
    tests: ['services/quota/keys/key-use.test.ts'],
    changes: [
      ['key.usedMinute === minute && ', ''],
      ['if (keys.length === WRITTEN_AT_ONCE) break;', ''],
      ['for (const key of keys) if (missed.has(key.id)) unwritten.add(key);', ''],
      ['      for (const key of keys) unwritten.add(key);\n', ''],
      ['.filter(counts)', ''],
      ["|| end === 'expired'", ''],
    ],
  },
  {
    file: 'src/accounts/gate/key-problems.ts',
    tests: ['routes/keys/restricted.store.test.ts'],
    changes: [
      ["replacedAt === undefined ? 'over'", "replacedAt !== undefined ? 'over'"],
      ["wanted === 'any' || ", "wanted !== 'any' && "],
      ['scopes.includes(wanted)', 'scopes.length > 0'],
    ],
  },
  {
    file: 'src/accounts/gate/note-use.ts',
    tests: ['http/replies/fast-path.test.ts'],
    changes: [
      ["|| !covers(caller, 'account')", ''],
      ["site === 'same-origin' || ", ''],
      [' === host', " === ''"],
    ],
  },
  {
    file: 'src/accounts/allowance/allowance.ts',
    tests: ['routes/keys/last-use.store.test.ts'],
    changes: [[', writeAllUse(withinMs)]', ']']],
  },
  {
    file: 'src/accounts/keys/routes.ts',
    tests: ['routes/keys/owner.store.test.ts', 'routes/keys/restricted.store.test.ts'],
    changes: [
      ["scope: 'account' }", "scope: 'any' }"],
      ['config: { ...facts, allowExpired: true }', 'config: facts'],
      ['  neverStored(app);\n', ''],
      ['params.id > LARGEST_ID', 'params.id < 0'],
    ],
  },
  {
    file: 'src/accounts/users/user-store.ts',
    tests: ['routes/users/user-life.store.test.ts'],
    changes: [
      [', changed_at = clock_timestamp() ${change}', ' ${change}'],
      [' AND valid_until = ${iso(user.validUntil)}::timestamptz`', '`'],
    ],
  },
];
