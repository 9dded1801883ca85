import type { Mutations } from './mutation.ts';

/** The operator's interface: access, search, audit log, changes, and the forms of their values. */
export const operator: Mutations[] = [
  {
    file: 'src/operator/admin-token.ts',
    tests: ['operator/access.store.test.ts'],
    changes: [
      ['times.length < MOST_WRONG', 'times.length <= MOST_WRONG'],
      ['at > now - MINUTE', 'at > now - 2 * MINUTE'],
      ['(first + MINUTE - now) / SECOND', '(first - now) / SECOND'],
      ['if (timingSafeEqual(hashOf(given), expected)) return;', ''],
      ['    wrong.set(address, [...times, now]);\n', ''],
      ['if (wrong.size >= MOST_ADDRESSES) wrong.delete(oldest);', ''],
    ],
  },
  {
    file: 'src/operator/routes.ts',
    tests: ['operator/access.store.test.ts', 'operator/changes.store.test.ts'],
    changes: [
      ['    refuseCrossSite(request.headers, []);\n', ''],
      ['  neverStored(app);\n', ''],
    ],
  },
  {
    file: 'src/admin-app.ts',
    tests: ['operator/access.store.test.ts'],
    changes: [["refuseForeignHost(headers, settings.admin?.host ?? '')", "refuseForeignHost(headers, '')"]],
  },
  {
    file: 'src/server/cross-origin.ts',
    tests: ['operator/access.store.test.ts', 'mcp/own-origin.store.test.ts', 'mcp/hostile-bodies.store.test.ts'],
    changes: [
      ['isUnforgeable(host) || !isLocal(listenHost)', '!isLocal(listenHost)'],
      [' || !isLocal(listenHost)', ''],
      [' && (publicUrl === undefined || isUnforgeable(host))', ''],
      ['publicUrl === undefined || isUnforgeable(host)', 'isUnforgeable(host)'],
      ['if (publicUrl !== undefined && origin === URL.parse(publicUrl)?.origin) return true;', ''],
      ['/^(.+\\.)?localhost\\.?$/', '/localhost/'],
    ],
  },
  {
    file: 'src/core/visible-text.ts',
    tests: ['core/visible-text.test.ts'],
    changes: [
      ['\\p{Default_Ignorable_Code_Point}', '\\p{Bidi_Control}'],
      ['\\p{Cc}', ''],
      ['--[\\p{sc=Latin}', '--[\\p{sc=Armenian}'],
      ['(?=${JOINED})', ''],
      ['(?!\\n)', ''],
    ],
  },
  {
    file: 'src/cli/command-line.ts',
    tests: ['cli/users.store.test.ts'],
    changes: [
      ['visible(String(cell))', 'String(cell)'],
      ['`${visibleJson(json)}\\n`', '`${json}\\n`'],
    ],
  },
  {
    file: 'src/accounts/keys/key-form.ts',
    tests: ['operator/hidden-characters.store.test.ts'],
    changes: [[".refine((text) => !hasHidden(text), 'contains control or invisible characters')", '']],
  },
  {
    file: 'src/operator/parameters.ts',
    tests: [
      'operator/hostile-input.store.test.ts',
      'operator/hidden-characters.store.test.ts',
      'operator/changes.store.test.ts',
      'operator/search.store.test.ts',
    ],
    changes: [
      ['at >= FIRST_INSTANT && ', ''],
      [' && at <= LAST_INSTANT', ''],
      ['z.int().min(FIRST_INSTANT).max(LAST_INSTANT)', 'z.int()'],
      ['one > LARGEST_NUMBER', 'one > 2 * LARGEST_NUMBER'],
      ['value >= 1 && value <= LARGEST_PAGE', 'value <= LARGEST_PAGE'],
      ["    .refine((text) => !hasHidden(text), 'contains control or invisible characters')\n", ''],
      ["    .refine((text) => text.isWellFormed(), 'is not well-formed Unicode')", ''],
      [".max(most, 'is too long')", ''],
      [".min(1, 'is empty')", ''],
      ['.max(MOST_CALLS, `must be an integer from ${min} to ${MOST_CALLS}`)', ''],
    ],
  },
  {
    file: 'src/operator/audit/audit-store.ts',
    tests: ['operator/service-state.store.test.ts'],
    changes: [
      ['at >= ${toInstant(from)}', 'at > ${toInstant(from)}'],
      ['at < ${toInstant(until)}', 'at <= ${toInstant(until)}'],
      ['(at, id) < (${toInstant(after.at)}, ${after.id}::bigint)', 'at < ${toInstant(after.at)}'],
      ['ORDER BY at DESC, id DESC', 'ORDER BY at DESC'],
    ],
  },
  {
    file: 'src/operator/audit/audit.ts',
    tests: ['operator/service-state.store.test.ts', 'cli/users.store.test.ts'],
    changes: [
      ['left -= batch.length;', ''],
      ['batch.length < BATCH', 'true'],
      ['found.length > limit && last', 'last'],
      ['limit + 1)', 'limit)'],
    ],
  },
  {
    file: 'src/operator/audit/routes-audit.ts',
    tests: ['operator/hostile-input.store.test.ts'],
    changes: [['key <= LARGEST_NUMBER', 'key > 0']],
  },
  {
    file: 'src/operator/messages.ts',
    tests: ['operator/service-state.store.test.ts', 'operator/hostile-input.store.test.ts'],
    changes: [
      ['found.length > limit && last', 'last'],
      ['z.tuple([instantInPlace, z.uuid()])', 'z.tuple([instantInPlace, z.union([z.uuid(), z.int()])])'],
    ],
  },
  {
    file: 'src/operator/announcements.ts',
    tests: ['operator/service-state.store.test.ts'],
    changes: [
      ['known && known.until > clock.now() ? known : undefined', 'known'],
      ['if (text !== null && until === null)', 'if (text === undefined)'],
    ],
  },
  {
    file: 'src/operator/sources.ts',
    tests: ['operator/service-state.store.test.ts'],
    changes: [
      ['exhaustedAt < end', 'exhaustedAt > end'],
      ['rate * (end - now)', 'rate * end'],
      ['hasFailed(outcome) ?', 'outcome.failure ?'],
    ],
  },
  {
    file: 'src/operator/users/directory.ts',
    tests: ['operator/search.store.test.ts', 'operator/hostile-input.store.test.ts'],
    changes: [
      ['z.int32(), z.int32()', 'z.int(), z.int()'],
      ['order === sort', 'order.length > 0'],
      ['found.length > limit && last', 'last'],
    ],
  },
  {
    file: 'src/operator/users/search-store.ts',
    tests: ['operator/search.store.test.ts'],
    changes: [
      ['Number(query) <= LARGEST_NUMBER', 'query'],
      ['query.slice(0, START)', 'query'],
      ["query.includes('@') ? '' : wordsOf(query)", 'wordsOf(query)'],
      ['u.erased_at IS NULL AND u.suspended_at IS NOT NULL', 'u.suspended_at IS NOT NULL'],
      ['u.valid_until <= ${toInstant(now)} AND ${hasKey}', 'u.valid_until <= ${toInstant(now)}'],
      ['u.valid_until > ${toInstant(now)} AND ${hasKey}', 'u.valid_until > ${toInstant(now)}'],
      ['u.erased_at IS NULL AND u.suspended_at IS NULL AND ${own}', 'u.suspended_at IS NULL AND ${own}'],
      ['least(k.revoked_at, k.expires_at)', 'k.revoked_at'],
      ['u.key < ${after.key}::int', 'u.key <= ${after.key}::int'],
      ['(${column}, a.user_key) < (${after.value}::int, ${after.key}::int)', '${column} < ${after.value}::int'],
    ],
  },
  {
    file: 'src/operator/users/activity-store.ts',
    tests: ['operator/activity.store.test.ts', 'operator/search.store.test.ts'],
    changes: [
      ['t.calls + l.calls - a.calls', 't.calls - a.calls'],
      ['t.calls + l.calls AS calls, n.used', 't.calls AS calls, n.used'],
      ['p.used + l.in_period', 'p.used'],
      ['FILTER (WHERE period_start = p.period_start)', 'FILTER (WHERE period_start <> p.period_start)'],
      [' AND period_start >= u.anchor', ''],
      ['${periodEnd} > ${toInstant(now)} THEN', 'true THEN'],
      ['WHERE last_hour > 0', 'WHERE false'],
      ['WHERE resets_at <= ${toInstant(now)}', 'WHERE false'],
      ['id >= ${firstId(now - OPENED_WITHIN)}::uuid', 'false'],
      ['${isContinuous ? due(now) : Prisma.sql`SELECT user_key FROM user_activity`}', '${due(now)}'],
      ['WHERE user_key > ${after}::int ORDER BY', 'ORDER BY'],
      ['THEN max(user_key) END', 'THEN NULL END'],
      ['CASE WHEN ${isContinuous}::boolean THEN', 'CASE WHEN true THEN'],
      ['(fresh + (SELECT sum(calls)', '((SELECT sum(calls)'],
      ['> ${iso(now - HOUR)}::timestamptz THEN 0', '> ${iso(now)}::timestamptz THEN 0'],
    ],
  },
  {
    file: 'src/operator/users/activity.ts',
    tests: ['operator/activity.store.test.ts'],
    changes: [['<= LONGEST_GAP', '<= 100 * LONGEST_GAP']],
  },
  {
    file: 'src/accounts/ledger/lease.ts',
    tests: ['operator/activity.store.test.ts', 'operator/search.store.test.ts'],
    changes: [['  bytes.writeUIntBE(Math.floor(now), 0, 6);\n', '  bytes.writeUIntBE(0, 0, 6);\n']],
  },
  {
    file: 'src/accounts/users/administration-store.ts',
    tests: [
      'operator/changes.store.test.ts',
      'operator/terms.store.test.ts',
      'accounts/ledger/processes/plan-changes.store.test.ts',
    ],
    changes: [
      ['if (suspension?.reason === next?.reason)', 'if (!suspension && !next)'],
      ['suspension?.since ?? next.since', 'next.since'],
      ['UPDATE usage SET "limit" = NULL FROM changed', 'UPDATE usage SET "limit" = "limit" FROM changed'],
      ['credits + calls > most', 'credits + calls > 2 * most'],
      ['SET credits = usage.credits + excluded.credits', 'SET credits = excluded.credits'],
      ['      await tx.$executeRaw(startDuePlans(now, userKey));\n', ''],
      ["if (!(await lockUser(tx, authority))) return 'ended';", 'await lockUser(tx, authority);'],
      ['(own.limit ?? undefined)', 'undefined'],
      ['${audit(operator, { ...event, target: `user:${userKey}`, userKey })}', ''],
    ],
  },
  {
    file: 'src/accounts/users/plan-change.ts',
    tests: ['operator/terms.store.test.ts', 'accounts/ledger/processes/plan-changes.store.test.ts'],
    changes: [
      ['Math.max(now, running.start + 1)', 'now'],
      ['ownLimitOf(running.start) ?? user.limit', 'user.limit'],
      ['now >= user.validUntil', 'now > user.validUntil'],
      ['user.validUntil > start ? boundary(plan, start, 1) : user.validUntil', 'user.validUntil'],
      ['[{ start: user.next.from, limit: null }]', '[]'],
      ['periodLimits: [{ start, limit }]', 'periodLimits: []'],
    ],
  },
  {
    file: 'src/accounts/users/administration.ts',
    tests: ['operator/changes.store.test.ts', 'operator/terms.store.test.ts'],
    changes: [
      ["if (outcome === 'ended') throw userErased();", ''],
      ["if (outcome === 'too_many')", "if (outcome === 'unchanged')"],
      ['limit = PLANS[plan].limit', 'limit = PLANS.monthly.limit'],
      ['    await changed();\n', ''],
    ],
  },
  {
    file: 'src/database/audit.ts',
    tests: ['operator/changes.store.test.ts', 'operator/service-state.store.test.ts'],
    changes: [
      ['after = Prisma.sql`NULL` } = event', "after = Prisma.sql`'{}'` } = event"],
      ['${operator.requestId}', 'NULL'],
      ['${userKey}::int', 'NULL::int'],
    ],
  },
  {
    file: 'src/server/replies/open-streams.ts',
    tests: ['prices/stream/opening.server.test.ts'],
    changes: [['      await admission.check(instantOf(clock));\n', '']],
  },
  {
    file: 'src/accounts/keys/key-cache.ts',
    tests: ['accounts/keys/unknown-keys.test.ts'],
    changes: [['      let readByStatement = 0;\n', '      let readByStatement = ++statements;\n']],
  },
  {
    file: 'src/accounts/ledger/settlement.ts',
    tests: ['accounts/ledger/returned-calls.store.test.ts'],
    changes: [
      ['quota.exhausted && quota.waiting.length === 0 ? 0 : wanted', 'wanted'],
      ['quota.lease !== lease || sent.want === 0', 'quota.lease !== lease'],
    ],
  },
];
