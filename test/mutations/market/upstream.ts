import type { Mutations } from '../mutation.ts';

/** Upstream calls: their times, rates and pauses, and the reading of responses. */
export const upstream: Mutations[] = [
  {
    file: 'src/core/memo.ts',
    tests: ['core/memo.test.ts'],
    changes: [
      ['known.version === version && ', ''],
      ['entry.until = clock.elapsed() + ttl;', 'entry.until = ttl;'],
      ['keepsErrors ? clock.elapsed() + ttl : ', ''],
      ['call.then(', 'entry.value.then('],
    ],
  },
  {
    file: 'src/core/every.ts',
    tests: ['core/every.test.ts'],
    changes: [
      ['if (!isClosed)\n', 'if (ms)\n'],
      ['underWay ??= ', 'underWay = '],
      ['      if (!onError) throw error;\n      onError(error);\n', '      throw error;\n'],
    ],
  },
  {
    file: 'src/upstream/budget.ts',
    tests: ['upstream/monthly-budget.test.ts'],
    changes: [['Date.UTC(year, month + 1, 1)', 'Date.UTC(year, month + 1, 0)']],
  },
  {
    file: 'src/upstream/budget.ts',
    tests: ['prices/refresh/refresh-schedule.test.ts'],
    changes: [['perMonth * (1 - RESERVE) - spent', 'perMonth - spent']],
  },
  {
    file: 'src/prices/refresh/refresh-schedule.ts',
    tests: ['prices/refresh/refresh-schedule.test.ts'],
    changes: [
      ['Math.ceil(timeLeft / DAY)', 'Math.floor(timeLeft / DAY)'],
      [': planned / left', ': left / planned'],
      ['timeLeft / (left - planned)', 'timeLeft / left'],
      ['(load.latest * timeLeft) / schedule.latest', 'timeLeft / schedule.latest'],
      ['Math.max(schedule.chart, LONGEST_CHART)', 'schedule.chart'],
    ],
  },
  {
    file: 'src/upstream/circuit-breaker.ts',
    tests: ['upstream/breaker.test.ts'],
    changes: [
      ['FIRST_OPEN * 2 ** openings', 'FIRST_OPEN * 2 * openings'],
      ['Math.max(openUntil, now + forMs)', 'now + forMs'],
      ['      probing = true;\n', ''],
      ['      openings = 0;\n', ''],
      ['Math.max(LONGEST_OPEN, spacing)', 'LONGEST_OPEN'],
      ['return openUntil - now', 'return openUntil'],
    ],
  },
  {
    file: 'src/upstream/freshness.ts',
    tests: ['upstream/freshness.test.ts'],
    changes: [
      ['age < -SKEW', 'age < 0'],
      ['Math.min(fetchedAt, now) + every', 'fetchedAt + every'],
      ['age > 2 * every', 'age >= 2 * every'],
      [', monthOf(now).end)', ', Number.POSITIVE_INFINITY)'],
    ],
  },
  {
    file: 'src/upstream/failure.ts',
    tests: ['upstream/single-flight.test.ts'],
    changes: [
      ['FIRST_PAUSE * 2 ** (times - 1)', 'FIRST_PAUSE * times'],
      ['Math.min(longest, FIRST_PAUSE', 'Math.max(longest, FIRST_PAUSE'],
    ],
  },
  {
    file: 'src/upstream/fetch-runner.ts',
    tests: ['upstream/single-flight.test.ts'],
    changes: [
      ['      lastFailures.delete(what);\n', ''],
      ['      inFlight.delete(what);\n', ''],
      ['if (poll.version(what) !== version) return', 'if (poll.version(what) === version) return'],
      ['void store.release(what, holder)', 'void Promise.resolve()'],
    ],
  },
  {
    file: 'src/upstream/fetch-runner.ts',
    tests: ['upstream/single-flight.test.ts'],
    changes: [['startedAt + MOMENT - clock.elapsed()', 'MOMENT']],
  },
  {
    file: 'src/upstream/budget.ts',
    tests: ['upstream/budget.test.ts'],
    changes: [
      ['(monthOf(now).start > month ? 0 : spent)', 'spent'],
      ['if (count === undefined) return false', 'if (!count) return true'],
      ['Math.max(HOUR, now - since)', '(now - since)'],
      ['monthOf(now).start, firstCall', '0, firstCall'],
      ['firstCall ?? now', 'now'],
      ['firstCall ??= windows.minute', 'firstCall ??= 0'],
      ['      ({ spent, firstCall } = await', '      ({ spent } = await'],
    ],
  },
  {
    file: 'src/upstream/claims-and-budgets-store.ts',
    tests: ['upstream/claims-and-budgets-store.store.test.ts'],
    changes: [
      ['refresh.version = ${knownVersion}::int', 'refresh.version >= ${knownVersion}::int'],
      [' OR refresh.until < clock_timestamp()', ''],
      [' OR refresh.holder = excluded.holder', ''],
      ['budget.minute_spent < ', 'budget.minute_spent <= '],
      ['budget.month_spent < ', 'budget.month_spent <= '],
      ['greatest(budget.month_start, excluded.month_start)', 'excluded.month_start'],
      ['holder = NULL WHERE what = ${what} AND holder = ${holder}::uuid`', 'holder = NULL WHERE what = ${what}`'],
      ["budget.minute_start - interval '1 minute'", 'budget.minute_start'],
    ],
  },
  {
    file: 'src/upstream/claims-and-budgets-store.ts',
    tests: ['upstream/concurrent-turns.server.test.ts'],
    changes: [['AND ${NOW}`', 'AND excluded.fetched_at`']],
  },
  {
    file: 'src/upstream/version-watcher.ts',
    tests: ['upstream/version-watcher.test.ts'],
    changes: [
      ['known.set(what, rows.get(what) as RefreshRow)', 'rows.get(what)'],
      ['if (number < latest) return;', ''],
      ['return row && row.version', 'return row?.version'],
      ['if (!watches.includes(watched)) watches.push(watched);', 'watches.push(watched);'],
    ],
  },
  {
    file: 'src/upstream/resource.ts',
    tests: ['upstream/resource.test.ts'],
    changes: [['names?.length !== values.length', '!names']],
  },
  {
    file: 'src/upstream/transport/upstream.ts',
    tests: ['prices/sources/coingecko-faults.test.ts'],
    changes: [
      ['attempt === retries', 'attempt > retries'],
      ['undefined : retryAfter * SECOND', 'undefined : retryAfter'],
      ['Math.min(timeoutMs, request.withinMs ?? timeoutMs)', 'request.withinMs ?? Number.MAX_SAFE_INTEGER'],
    ],
  },
  {
    file: 'src/upstream/transport/upstream.ts',
    tests: ['prices/sources/coingecko-bounds.test.ts'],
    changes: [['    if (size > maxBytes) throw tooLarge();\n', '']],
  },
  {
    file: 'src/upstream/transport/http-client.ts',
    tests: ['upstream/transport/interim-responses.test.ts', 'prices/sources/coingecko-faults.test.ts'],
    changes: [
      ['interim > MOST_INTERIM', 'interim >= MOST_INTERIM'],
      ['interim > MOST_INTERIM', 'false'],
      ['AbortSignal.any([signal, excess.signal])', 'signal'],
      ['AbortSignal.any([signal, excess.signal])', 'excess.signal'],
    ],
  },
  {
    file: 'src/upstream/transport/http-client.ts',
    tests: ['upstream/transport/failure-messages.test.ts'],
    changes: [
      ['`connection failed: ${said}`', '`unreachable (${said})`'],
      ['[code, undefined]', '[(error as Error).message, undefined]'],
    ],
  },
  {
    file: 'src/upstream/transport/json-answer.ts',
    tests: ['prices/sources/coingecko-samples.test.ts', 'prices/sources/coingecko-faults.test.ts'],
    changes: [
      ['(at - now) / SECOND', 'at - now'],
      ['status >= 500', 'status > 500'],
    ],
  },
  {
    file: 'src/prices/sources/coingecko.ts',
    tests: ['prices/sources/coingecko-samples.test.ts'],
    changes: [['String(Math.floor(from / 1000))', 'String(Math.ceil(from / 1000))']],
  },
  {
    file: 'src/prices/sources/coingecko-wire.ts',
    tests: ['prices/sources/coingecko-samples.test.ts'],
    changes: [['.sort((a, b) => a.at - b.at)', '']],
  },
];
