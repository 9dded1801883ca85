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
      ['sum(c.to_book) OVER period', 'c.to_book'],
      ['AND NOT l.closed AND l.granted > l.spent', 'AND NOT l.closed'],
      ['details = g.now_details, unbooked = 0', 'details = g.now_details'],
      ['THEN l.group_id ELSE k.group_id', 'THEN k.group_id ELSE k.group_id'],
      ['THEN l.slot ELSE k.slot', 'THEN k.slot ELSE k.slot'],
      ['group_id = CASE WHEN g.is_open THEN in_group END', 'group_id = in_group'],
    ],
  },
  {
    file: 'src/accounts/ledger/lease-group-store.ts',
    tests: ['accounts/ledger/ledger-store.store.test.ts', 'accounts/ledger/unsettled-calls.store.test.ts'],
    changes: [
      [' AND r.seq > g.seq', ''],
      [' AND NOT g.closed', ''],
      ['UNION ALL SELECT id FROM added', ''],
    ],
  },
  {
    file: 'src/accounts/ledger/settlement-store.ts',
    tests: ['accounts/ledger/processes/reclaim-delay.server.test.ts'],
    changes: [
      ['OR NOT EXISTS (SELECT FROM lease_group WHERE id = o.group_id)', 'OR true'],
      ['(closed OR expires_at <', '(expires_at > now() OR expires_at <'],
    ],
  },
  {
    file: 'src/accounts/ledger/lease-group-store.ts',
    tests: ['accounts/ledger/returned-calls.store.test.ts'],
    changes: [['const RECLAIM_SECONDS = 10', 'const RECLAIM_SECONDS = 5']],
  },
  {
    file: 'src/accounts/ledger/settlement-store.ts',
    tests: ['accounts/ledger/unsettled-calls.store.test.ts'],
    changes: [
      ['l.unbooked + CASE WHEN l.closed THEN 0 ELSE l.granted - l.spent END', 'l.unbooked + l.granted - l.spent'],
      ['coalesce(d.held, 0)', '0'],
      ['c.used + coalesce(d.to_book, 0)', 'c.used'],
      ['SET closed = true, spent = now_spent, ', 'SET closed = true, '],
      ['resting = 0, group_id = NULL', 'resting = 0'],
      ['CASE WHEN is_reported THEN g.spent[l.slot] ELSE l.spent END', 'l.spent'],
      ['l.resting <> 0 OR l.group_id IS NOT NULL)', 'l.resting <> 0)'],
      ['UPDATE lease_group SET closed = true', 'UPDATE lease_group SET closed = false'],
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
      ['OR l.resting <> 0 OR l.group_id', 'OR l.group_id'],
    ],
  },
  {
    file: 'src/accounts/ledger/settlement-store.ts',
    tests: ['accounts/ledger/lost-users.store.test.ts'],
    changes: [
      ['is_first AND lim IS NOT NULL', 'is_first'],
      ['OR lim IS NULL OR', 'OR'],
      ['AS calls FROM sure WHERE lim IS NOT NULL\n', 'AS calls FROM sure\n'],
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
      ["group_id IS NULL\n          AND expires_at < clock_timestamp() - interval '1 day'", 'group_id IS NULL'],
      [
        'DELETE FROM lease_group g\n        WHERE expires_at <',
        'DELETE FROM lease_group g\n        WHERE expires_at >',
      ],
      ['\n          AND NOT EXISTS (SELECT FROM lease WHERE group_id = g.id)', ''],
    ],
  },
  {
    file: 'src/accounts/usage/counts-store.ts',
    tests: ['accounts/ledger/ledger-store.store.test.ts'],
    changes: [
      ['UNION ALL SELECT date, unbooked FROM held', 'UNION ALL SELECT date, 0 FROM held'],
      ['sum(unbooked) FROM held WHERE period_start = ${start}', 'sum(unbooked) FROM held'],
      ["OR id = ANY(${leases}::uuid[])), '[]') AS leases`", "), '[]') AS leases`"],
      ['ORDER BY date DESC LIMIT', 'ORDER BY date LIMIT'],
    ],
  },
  {
    file: 'src/accounts/ledger/ledger-store.ts',
    tests: ['accounts/ledger/unsettled-calls.store.test.ts'],
    changes: [
      ['(NOT closed OR unbooked <> 0 OR', '(NOT closed OR'],
      ['OR resting <> 0 OR group_id IS NOT NULL)', 'OR resting <> 0)'],
      [' AND group_id IS NULL\n', '\n'],
      ["interval '1 hour'", "interval '1 day'"],
    ],
  },
  {
    file: 'src/accounts/ledger/ledger-store.ts',
    tests: ['accounts/ledger/idle-leases.store.test.ts'],
    changes: [['unbooked <> 0 OR resting <> 0 OR', 'unbooked <> 0 OR']],
  },
  {
    file: 'src/accounts/ledger/usage-day-store.ts',
    tests: ['accounts/ledger/usage-day-store.store.test.ts'],
    changes: [
      [
        'FROM old))\n            AND date < ${before}::date\n          RETURNING 1',
        'FROM old))\n          RETURNING 1',
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
