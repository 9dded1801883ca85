import type { Mutations } from '../mutation.ts';

/** The calls by key and path, the daily limits of keys, and the personal data of users. */
export const usage: Mutations[] = [
  {
    file: 'src/accounts/ledger/settlement-store.ts',
    tests: ['accounts/usage/details-in-store.store.test.ts'],
    changes: [
      ['(r.key_id, r.path, -sign * list[i + 2])', '(r.key_id, r.path, sign * list[i + 2])'],
      ['UNION ALL SELECT booked_details, -1', 'UNION ALL SELECT booked_details, 0'],
      ['spent = now_spent, details = now_details, ', 'spent = now_spent, '],
      ['spent = g.now_spent, details = g.now_details, ', 'spent = g.now_spent, '],
      ['calls = usage_detail.calls + excluded.calls', 'calls = excluded.calls'],
    ],
  },
  {
    file: 'src/accounts/ledger/leases.ts',
    tests: ['accounts/usage/usage-by.store.test.ts', 'accounts/usage/key-limits.store.test.ts'],
    changes: [
      ['if (detail) detail.calls -= cost;', ''],
      ['if (counter) counter.used -= cost;', ''],
    ],
  },
  {
    file: 'src/accounts/usage/key-limits.ts',
    tests: ['accounts/usage/key-limits.store.test.ts', 'accounts/usage/limits-across-processes.server.test.ts'],
    changes: [
      ['used + pending + cost > limit', 'used + cost > limit'],
      ['known?.date === date', 'known'],
      ['reported: reported.get(lease.id)', 'reported: undefined'],
      ['forget: (keyId: number): boolean => counters.delete(keyId)', 'forget: (keyId: number) => counters.has(keyId)'],
      ['(date + DAY - now) / SECOND', '(date - now) / SECOND'],
    ],
  },
  {
    file: 'src/accounts/usage/breakdown.ts',
    tests: ['accounts/usage/breakdown.test.ts'],
    changes: [
      ['if (rest > 0) add(null, date, rest);', ''],
      ['if (rest < 0) lower(result, date, -rest);', ''],
      ['if (!daily.has(date)) days.delete(date);', ''],
    ],
  },
  {
    file: 'src/accounts/keys/update-key-store.ts',
    tests: ['accounts/keys/change-key.store.test.ts'],
    changes: [
      ['        replacedAt: null,\n', ''],
      ['userKey: authority.userKey, ', ''],
      ["key.scopes.includes('account') && ", 'false && '],
    ],
  },
  {
    file: 'src/accounts/keys/user-data-store.ts',
    tests: ['accounts/users/user-data-store.store.test.ts'],
    changes: [
      ["erasure === 'deleted'", "erasure === 'counts'"],
      [' AND o.key <> u.key', ''],
    ],
  },
];
