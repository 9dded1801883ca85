import type { Mutations } from './mutation.ts';

/** Whose a key is, and whether it may be used. */
export const keys: Mutations[] = [
  {
    file: 'src/services/quota/key-cache.ts',
    tests: ['services/quota/unknown-keys.test.ts'],
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
    file: 'src/http/pipeline/presented-key.ts',
    tests: ['http/pipeline/presented-key.test.ts'],
    changes: [
      ["name !== '' && password !== ''", 'name === password'],
      ['!hasOwn || ', 'hasOwn || '],
      [' === 1) return [authorization]', ' > 0) return [authorization]'],
      ['others.length === 0 ? key : undefined', 'key'],
    ],
  },
  {
    file: 'src/domain/quota/api-key.ts',
    tests: ['domain/quota/api-key.test.ts'],
    changes: [["masked.includes('cXRf') || ", '']],
  },
  {
    file: 'src/services/quota/key-cache.ts',
    tests: ['services/quota/identities.test.ts'],
    changes: [['found.isForgotten || ', '']],
  },
  {
    file: 'src/services/quota/key-problems.ts',
    tests: ['services/quota/identities.test.ts'],
    changes: [
      ['now >= expiresAt', 'now > expiresAt'],
      ['now >= user.validUntil', 'now > user.validUntil'],
      ['if (end === undefined || allowExpired)', 'if (end === undefined)'],
    ],
  },
  {
    file: 'src/services/quota/users.ts',
    tests: ['routes/user-life.store.test.ts'],
    changes: [['graceSeconds * SECOND', 'graceSeconds']],
  },
  {
    file: 'src/stores/quota/keys.ts',
    tests: ['routes/user-keys.store.test.ts'],
    changes: [
      ['FROM live) < ${MAX_KEYS_PER_USER}', 'FROM live) <= ${MAX_KEYS_PER_USER}'],
      ['ORDER BY dead_at DESC OFFSET', 'ORDER BY dead_at OFFSET'],
      ['least(revoked_at, expires_at) < ', 'least(revoked_at, expires_at) > '],
    ],
  },
  {
    file: 'src/stores/quota/users.ts',
    tests: ['routes/user-life.store.test.ts'],
    changes: [
      [', changed_at = clock_timestamp() ${change}', ' ${change}'],
      [' AND valid_until = ${iso(user.validUntil)}::timestamptz`', '`'],
    ],
  },
];
