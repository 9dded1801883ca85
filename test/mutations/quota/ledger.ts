import type { Mutations } from '../mutation.ts';

/** The SQL of the ledger, which all processes share. Mutations of reclaimed leases take their test 10 s. */
export const ledger: Mutations[] = [
  {
    file: 'src/accounts/ledger/settlement-store.ts',
    tests: ['accounts/ledger/ledger-store.store.test.ts'],
    changes: [
      ['CASE WHEN is_new OR k.seq > l.seq THEN k.spent ELSE l.spent END AS now_spent', 'k.spent AS now_spent'],
      ['WHEN k.seq > l.seq THEN k.spent - l.spent ELSE 0 END', 'ELSE k.spent - l.spent END'],
      ['seq = greatest(l.seq, g.seq)', 'seq = g.seq'],
      ['THEN k.spent - k.settled', 'THEN k.spent'],
      ['coalesce(l.closed, k.spent > 0 OR k.settled > 0)', 'coalesce(l.closed, false)'],
      ['THEN greatest(0, least(want - held, ', 'THEN (least(want - held, '],
      ['ceil(left_before / 4.0)', 'floor(left_before / 4.0)'],
      ['HAVING sum(calls) <> 0 ORDER BY 1, 2\n', 'HAVING sum(calls) > 0 ORDER BY 1, 2\n'],
      ['calls = usage_day.calls + excluded.calls', 'calls = excluded.calls'],
      ['sum(to_book) OVER period', 'to_book'],
      ['AND NOT l.closed AND l.granted > l.spent', 'AND NOT l.closed'],
      ['details = g.now_details, unbooked = 0', 'details = g.now_details'],
      ['l.unbooked + r.spent - l.spent', 'r.spent - l.spent'],
      [' AND r.seq > l.seq', ''],
      ['WHERE l.id = r.id AND NOT l.closed', 'WHERE l.id = r.id'],
    ],
  },
  {
    file: 'src/accounts/ledger/settlement-store.ts',
    tests: ['accounts/ledger/returned-calls.store.test.ts'],
    changes: [['const RECLAIM_SECONDS = 10', 'const RECLAIM_SECONDS = 5']],
  },
  {
    file: 'src/accounts/ledger/settlement-store.ts',
    tests: ['accounts/ledger/unsettled-calls.store.test.ts'],
    changes: [
      ['CASE WHEN l.closed THEN 0 ELSE l.granted - l.spent END AS unspent', 'l.granted - l.spent AS unspent'],
      ['coalesce(d.unspent + d.unbooked, 0)', 'coalesce(d.unspent, 0)'],
      ['c.used + coalesce(d.unbooked, 0)', 'c.used'],
      ['now_details, unbooked = 0, resting = 0', 'now_details, resting = 0'],
    ],
  },
  {
    file: 'src/accounts/ledger/settlement-store.ts',
    tests: ['accounts/ledger/idle-leases.store.test.ts'],
    changes: [
      ['least(k.rest, l.granted - k.spent)', 'greatest(k.rest, l.granted - k.spent)'],
      ['${restingPart}::int - resting_now', '${restingPart}::int'],
      ['g.granted_now, resting = g.rests_now', 'g.granted_now'],
      ['ELSE rests_now > 0 END', 'ELSE rests_now < 0 END'],
      ['OR l.resting <> 0) AND l.id NOT IN', ') AND l.id NOT IN'],
    ],
  },
  {
    file: 'src/accounts/ledger/settlement-store.ts',
    tests: ['accounts/ledger/lost-users.store.test.ts'],
    changes: [
      ['is_first AND lim IS NOT NULL', 'is_first'],
      ['OR lim IS NULL OR', 'OR'],
      [' WHERE lim IS NOT NULL\n', '\n'],
    ],
  },
  {
    file: 'src/accounts/ledger/settlement-store.ts',
    tests: ['accounts/ledger/costs.store.test.ts'],
    changes: [
      [' AND lacks <= left_before', ''],
      ['greatest(lacks, ceil(', 'greatest(0, ceil('],
      ['THEN lim - used_now >= need', 'THEN rests_now > 0'],
      ['lim - used_now >= need', 'lim - used_now > need'],
    ],
  },
  {
    file: 'src/accounts/ledger/ledger-store.ts',
    tests: ['accounts/ledger/ledger-store.store.test.ts'],
    changes: [
      ['"limit" >= 4 * want', '"limit" >= want'],
      [' - usage.used - usage.outstanding', ' - usage.used'],
      ['usage.outstanding + excluded.outstanding', 'excluded.outstanding'],
      ['used + outstanding AS taken', 'used AS taken'],
    ],
  },
  {
    file: 'src/accounts/ledger/ledger-store.ts',
    tests: ['accounts/ledger/ledger-store.store.test.ts'],
    changes: [
      ["interval '1 day'", "interval '1 hour'"],
      ['UNION ALL SELECT date, unbooked FROM held', 'UNION ALL SELECT date, 0 FROM held'],
      ['sum(unbooked) FROM held WHERE period_start = ${start}', 'sum(unbooked) FROM held'],
      ['WHERE NOT closed OR id = ANY(${leases}::uuid[])', 'WHERE NOT closed'],
      ['ORDER BY date DESC LIMIT', 'ORDER BY date LIMIT'],
    ],
  },
  {
    file: 'src/accounts/ledger/ledger-store.ts',
    tests: ['accounts/ledger/unsettled-calls.store.test.ts'],
    changes: [
      ['(NOT closed OR unbooked <> 0 OR', '(NOT closed OR'],
      ["interval '1 hour'", "interval '1 day'"],
    ],
  },
  {
    file: 'src/accounts/ledger/ledger-store.ts',
    tests: ['accounts/ledger/idle-leases.store.test.ts'],
    changes: [['unbooked <> 0 OR resting <> 0)', 'unbooked <> 0)']],
  },
  {
    file: 'src/accounts/ledger/usage-day-store.ts',
    tests: ['accounts/ledger/usage-day-store.store.test.ts'],
    changes: [
      [
        'ANY (ARRAY(SELECT DISTINCT key FROM old))\n            AND date < ${before}::date',
        'ANY (ARRAY(SELECT DISTINCT key FROM old))',
      ],
      ['d.user_key = u.key AND d.date < ${before}::date', 'd.user_key = u.key'],
      ['= ${ROWS}::int THEN', '> ${ROWS}::int THEN'],
      ['key > ${after}::int ORDER BY key LIMIT ${USERS}::int) u\n', 'key > ${after}::int ORDER BY key) u\n'],
    ],
  },
  {
    file: 'src/upstream/deletion-rounds.ts',
    tests: ['upstream/deletion-rounds.store.test.ts'],
    changes: [
      ['if (!(await claim())) return;\n    try', 'try'],
      ['await refreshes.complete(name, holder, now);', ''],
    ],
  },
  {
    file: 'src/accounts/ledger/usage-retention.ts',
    tests: ['upstream/deletion-rounds.store.test.ts'],
    changes: [
      ['Math.max(startedAt, startOfDate(now))', 'startedAt'],
      ['Math.max(startedAt, startOfDate(now))', 'startOfDate(now)'],
    ],
  },
  {
    file: 'src/accounts/ledger/usage-retention.ts',
    tests: ['accounts/ledger/usage-retention-periods.test.ts'],
    changes: [
      [' || duration < LEAST', ''],
      ['startOfDate(now - retention)', 'now - retention'],
    ],
  },
];
