import type { Mutations } from '../mutation.ts';

/** Dates and windows, spans and coverage, fetches for a window, stored rows, and imports. */
export const market: Mutations[] = [
  {
    file: 'src/prices/model/interval.ts',
    tests: ['prices/model/interval.test.ts'],
    changes: [
      ['days > 10', 'days >= 10'],
      ['(days - 1) * DAY', 'days * DAY'],
      ['thruDate >= startOfDate(now)', 'thruDate > startOfDate(now)'],
      ['now : thruDate + DAY - 1', 'now : thruDate + DAY'],
      ['fetchedAt >= dayReady(at)', 'fetchedAt > dayReady(at)'],
      ['fetchedAt > at + 2 * HOUR', 'fetchedAt >= at + 2 * HOUR'],
      ['40 * MINUTE', '35 * MINUTE'],
      ['startOfDate(from + DAY - 1) <= thru', 'startOfDate(from + DAY - 1) < thru'],
      ['thru - from + 1 >= SPACING', 'thru - from >= SPACING'],
      ['now >= dayReady(now) ?', 'now > dayReady(now) ?'],
      ['at - startOfDate(at) < LATE', 'at - startOfDate(at) <= LATE'],
    ],
  },
  {
    file: 'src/core/clock.ts',
    tests: ['core/span.test.ts'],
    changes: [
      ['span.from <= last.thru + 1', 'span.from <= last.thru'],
      ['Math.max(last.thru, span.thru)', 'span.thru'],
      ['from = other.thru + 1', 'from = other.thru'],
      ['if (from <= span.thru) rest', 'if (from < span.thru) rest'],
    ],
  },
  {
    file: 'src/prices/model/sample.ts',
    tests: ['prices/model/sample.test.ts'],
    changes: [['startOfDate(at) < startOfDate(last.at)', 'startOfDate(at) <= startOfDate(last.at)']],
  },
  {
    file: 'src/upstream/plausible.ts',
    tests: ['upstream/plausible.test.ts'],
    changes: [
      ['thru: now + AHEAD', 'thru: now'],
      ['price > 0 &&', 'price >= 0 &&'],
      ['value >= 0 &&', 'value > 0 &&'],
    ],
  },
  {
    file: 'src/prices/model/series.ts',
    tests: ['prices/model/series.test.ts'],
    changes: [
      ['< instant) low', '<= instant) low'],
      ['placeOf(columns.at, thru + 1, length)', 'placeOf(columns.at, thru, length)'],
      ['column.copyWithin(0, gone, length)', 'column.copyWithin(0, gone + 1, length)'],
    ],
  },
  {
    file: 'src/prices/history/series-text.ts',
    tests: ['prices/history/series-formats.test.ts'],
    changes: [
      ['if (!Number.isNaN(figures[i])) return true', 'return true'],
      ['twoDigits(minutes % 60)', 'twoDigits(minutes % 59)'],
      ["=== '[' ? '[]' : ']'", "=== '[' ? ']' : ']'"],
    ],
  },
  {
    file: 'src/prices/refresh/backfill-plan.ts',
    tests: ['prices/refresh/backfill-plan.test.ts'],
    changes: [
      ['HOURLY_DAYS * DAY - HOUR', 'HOURLY_DAYS * DAY + HOUR'],
      ['ageOf(kind, input) >= every', 'ageOf(kind, input) > every'],
      ["slotOf('hour', reach) + 2 * HOUR", "slotOf('hour', reach)"],
      ['sinceReady >= 0 && age > sinceReady', 'sinceReady >= 0'],
      ['age < DAILY_RETRY && !isReadySince', 'age < DAILY_RETRY'],
      ['from <= beginning ?', 'from < beginning ?'],
      ["isBeginningCovered && fetchedAt('daily') !== undefined", 'isBeginningCovered'],
      ['hasFailed ? 0 : HOURLY_CALLS', 'HOURLY_CALLS'],
      ['from < now - DAY)', 'from < now)'],
      ['const isRefresh = isStored || hasFailed', 'const isRefresh = isStored'],
      ['window.open && !bringsNewest', 'window.open'],
    ],
  },
  {
    file: 'src/prices/refresh/fetches.ts',
    tests: ['prices/refresh/backfill-calls.store.test.ts', 'prices/refresh/backfill-settling.store.test.ts'],
    changes: [
      ["slotOf('hour', from + HOUR - 1)", "slotOf('hour', from)"],
      [': startOfDate(now) - 1', ': startOfDate(now) + DAY - 1'],
      ['Math.ceil((clock.now() - from) / DAY)', 'Math.floor((clock.now() - from) / DAY)'],
      ['(start === end ?', '(start !== end ?'],
    ],
  },
  {
    file: 'src/prices/archive/series-cache.ts',
    tests: ['prices/archive/coverage-report.store.test.ts'],
    changes: [['touched(what, polledAt)', 'touched(what, now)']],
  },
  {
    file: 'src/prices/archive/archive-cache.ts',
    tests: ['prices/archive/loading.store.test.ts'],
    changes: [['Math.min(at, before?.at ?? at)', 'Math.max(at, before?.at ?? at)']],
  },
  {
    file: 'src/prices/archive/series-cache.ts',
    tests: ['prices/archive/loading.store.test.ts'],
    changes: [
      ['        forget(namesOf(name));\n', ''],
      ['        options.dropped?.(name);\n', ''],
      ['    group.usedAt = clock.elapsed();\n    return cached;', '    return cached;'],
      ['    workingSet.trim();\n', ''],
    ],
  },
  {
    file: 'src/prices/archive/series-store.ts',
    tests: ['prices/archive/paging.test.ts'],
    changes: [
      ['from: last.at + 1', 'from: last.at'],
      ['page.length === PAGE', 'page.length > PAGE'],
    ],
  },
  {
    file: 'src/prices/archive/working-set.ts',
    tests: ['prices/archive/working-set.test.ts'],
    changes: [
      ['(left <= mostBytes || resident.usedAt > idleSince)', '(left <= mostBytes)'],
      ['a.usedAt - b.usedAt)', 'b.usedAt - a.usedAt)'],
      ['        left -= resident.bytes();\n', ''],
    ],
  },
  {
    file: 'src/prices/refresh/demand.ts',
    tests: ['prices/refresh/demand.store.test.ts'],
    changes: [
      ['>= NOTE_EVERY', '< NOTE_EVERY'],
      ['      await note();\n', ''],
      ['clock.now() - IN_DEMAND', 'clock.now() - 2 * IN_DEMAND'],
    ],
  },
  {
    file: 'src/prices/refresh/backfill.ts',
    tests: ['prices/refresh/demand.store.test.ts'],
    changes: [
      ['Number.isFinite(own) && ofAll < schedule.current().early ? ofAll : own', 'ofAll'],
      ['ofAll < schedule.current().early', 'false'],
    ],
  },
  {
    file: 'src/prices/refresh/backfill.ts',
    tests: ['prices/market-failures.store.test.ts'],
    changes: [['for (const token of tokens) requestedAt.set(token, clock.now());', '']],
  },
  {
    file: 'src/prices/refresh/refresh-schedule.ts',
    tests: ['prices/refresh/demand.store.test.ts'],
    changes: [["inUse('chart')", '0']],
  },
  {
    file: 'src/prices/archive/series-cache.ts',
    tests: ['prices/refresh/backfill-processes.store.test.ts'],
    changes: [['if (from >= oldestInMemory(interval, now)) return series', 'if (from) return series']],
  },
  {
    file: 'src/prices/sources/coingecko-plans.ts',
    tests: ['prices/sources/coingecko-plans.test.ts'],
    changes: [
      ['named < refused', 'named <= refused'],
      ['Math.max(...smaller)', 'Math.min(...smaller)'],
      ['reported && reported !== plan', 'reported !== plan'],
    ],
  },
  {
    file: 'src/prices/sources/coingecko.ts',
    tests: ['prices/sources/coingecko-plan.test.ts'],
    changes: [
      ['|| days <= 1', ''],
      ['reachAfterRefusal(days, named)', 'reachAfterRefusal(days)'],
      ['isDaily || named !== undefined', 'true'],
    ],
  },
  {
    file: 'src/prices/refresh/backfill.ts',
    tests: ['prices/refresh/history-limit.store.test.ts'],
    changes: [
      ['(window.interval, now) > reached)', '(window.interval, now) < reached)'],
      ['          singleFlight.forget(name);\n', ''],
    ],
  },
  {
    file: 'src/prices/refresh/latest-failover.ts',
    tests: ['prices/refresh/latest-failover.test.ts'],
    changes: [
      ['good >= GOOD_ANSWERS', 'good > GOOD_ANSWERS'],
      ['<= 2 * every', '< 2 * every'],
      ['served === PRIMARY_SOURCE && !event.isSound', '!event.isSound && served !== PRIMARY_SOURCE'],
      [" || event.kind === 'primary_failed'", ''],
    ],
  },
  {
    file: 'src/prices/refresh/latest-failover.ts',
    tests: ['prices/refresh/latest-failover.store.test.ts'],
    changes: [['clock.now()) < FALLBACK_EVERY', 'clock.now()) < 0']],
  },
  {
    file: 'src/prices/refresh/window-failover.ts',
    tests: ['prices/refresh/window-failover.store.test.ts'],
    changes: [
      ['slot(now) > slot(fetchedAt)', 'false'],
      ['Math.max(from, head.at - spacingOf(interval) + 1)', 'from'],
    ],
  },
  {
    file: 'src/prices/history/window-reader.ts',
    tests: ['prices/refresh/window-failover.store.test.ts'],
    changes: [['isOfPrimary && ', '']],
  },
  {
    file: 'src/prices/refresh/key-check.ts',
    tests: ['prices/refresh/key-check.store.test.ts'],
    changes: [
      ['budget.lower(facts, facts.left);', ''],
      ['if (reported) source', 'if (reported && !configured.apiKey) source'],
      ['isPaid && configured.apiKey', 'configured.apiKey'],
    ],
  },
  {
    file: 'src/prices/history/window-reader.ts',
    tests: ['prices/history/market-windows.store.test.ts', 'prices/refresh/backfill-settling.store.test.ts'],
    changes: [
      [' || sample.at <= lastAt', ''],
      ['first && isMidnightSample(first.at) ? first', 'first ? first'],
    ],
  },
  {
    file: 'src/prices/history/window-reader.ts',
    tests: ['prices/history/completeness-gaps.store.test.ts'],
    changes: [['window.span.thru < reach', 'window.span.thru > reach']],
  },
  {
    file: 'src/prices/archive/series-sql-store.ts',
    tests: ['prices/refresh/backfill-settling.store.test.ts'],
    changes: [
      ['${ofSeries} AND ${replaceable}', '${ofSeries}'],
      ['${ofSeries} AND NOT (${replaceable})', '${ofSeries} AND ${replaceable}'],
    ],
  },
  {
    file: 'src/prices/archive/series-sql-store.ts',
    tests: ['prices/archive/market-sources.store.test.ts'],
    changes: [
      ['AND NOT ${isOneOf(`${rows}.source`, preferred)}', ''],
      ['settled AND NOT ${provisional}::boolean AS settled', 'settled'],
      ['WHERE NOT ${isCovered} AND', 'WHERE'],
    ],
  },
  {
    file: 'src/prices/archive/purge-store.ts',
    tests: ['prices/archive/market-sources.store.test.ts'],
    changes: [
      ['AND source = ${source} AND ${isNext}', 'AND ${isNext}'],
      ['OR c.source <> ${source} AND tstzrange(c."from", c.thru, \'[]\') && batch.slots', ''],
    ],
  },
  {
    file: 'src/prices/retention.ts',
    tests: ['prices/archive/purge.store.test.ts'],
    changes: [['if (before !== undefined)', 'if (before === undefined)']],
  },
  {
    file: 'src/prices/retention.ts',
    tests: ['prices/archive/purge.store.test.ts'],
    changes: [['age >= EVERY', 'age >= 0']],
  },
  {
    file: 'src/prices/refresh/backfill-plan.ts',
    tests: ['prices/archive/purge.store.test.ts'],
    changes: [['history.finer) * DAY, keptFor)', 'history.finer) * DAY)']],
  },
  {
    file: 'src/prices/model/market-sources.ts',
    tests: ['prices/archive/purge.store.test.ts', 'prices/candles/deleting-candles.store.test.ts'],
    changes: [['rows.filter(({ at }) => at >= from)', 'rows']],
  },
  {
    file: 'src/prices/refresh/backfill.ts',
    tests: ['prices/sources/market-sources.store.test.ts'],
    changes: [['archive.coverage(token, interval, fetches.source)', 'archive.coverage(token, interval)']],
  },
  {
    file: 'src/prices/history/series-text.ts',
    tests: ['prices/sources/market-sources.store.test.ts'],
    changes: [['.length > 1', '.length > 0']],
  },
  {
    file: 'src/prices/archive/series-sql-store.ts',
    tests: ['prices/archive/coverage-report.store.test.ts'],
    changes: [
      [
        'SELECT tstzrange("from", thru + interval \'1 ms\') FROM touching',
        'SELECT tstzrange("from", thru) FROM touching',
      ],
    ],
  },
  {
    file: 'src/upstream/claims-and-budgets-store.ts',
    tests: ['prices/archive/coverage-report.store.test.ts'],
    changes: [['version = refresh.version + 1', 'version = refresh.version']],
  },
  {
    file: 'src/prices/archive/series-sql-store.ts',
    tests: ['prices/archive/implausible-rows.store.test.ts'],
    changes: [
      ['coalesce(price, 1) > 0', 'coalesce(price, 1) >= 0'],
      ["0) < 'Infinity'", "0) <= 'Infinity'"],
    ],
  },
  {
    file: 'src/prices/archive/import-row.ts',
    tests: ['prices/archive/rows.test.ts'],
    changes: [
      ['value < 0)', 'value <= 0)'],
      ['fields.length !== columns.length', 'fields.length < columns.length'],
      ['price === 0', 'price === null'],
    ],
  },
  {
    file: 'src/prices/archive/price-import.ts',
    tests: ['prices/archive/rows.test.ts'],
    changes: [
      ['row.settled && !mine.settled', 'row.settled && mine.settled'],
      ['(mine.settled && !replace)', '!replace'],
      ['&& !isMidnightSample(row.at)', ''],
      ['preferredTo(row.source).includes(mine.source)', 'false'],
    ],
  },
  {
    file: 'src/prices/archive/import.ts',
    tests: ['prices/archive/import-claims.test.ts'],
    changes: [
      ['dates.get(date + 2 * DAY) === source', 'dates.get(date + 3 * DAY) === source'],
      ['[last - DAY, last + DAY]', '[last + DAY]'],
      ["ended === 'whole' ? covered.skipped() : []", 'covered.skipped()'],
      ['Math.min(...times)', 'times[0] as number'],
    ],
  },
  {
    file: 'src/prices/archive/import.ts',
    tests: ['prices/archive/rows-off-midnight.store.test.ts'],
    changes: [
      ['|| sample.at < other.at', ''],
      ['now >= dayReady(at + DAY)', 'false'],
      ['lineOfDate.has(date) ? { isOutranked: true } : { sample }', '{ sample }'],
    ],
  },
  {
    file: 'src/prices/archive/series-sql-store.ts',
    tests: ['prices/archive/rows-off-midnight.store.test.ts'],
    changes: [
      ["${isCovered} AND at < date_trunc('day', at, 'UTC') + interval '1 hour'", '${isCovered}'],
      ["IN (SELECT date_trunc('day', at, 'UTC') FROM given)", 'IN (SELECT at FROM given)'],
    ],
  },
  {
    file: 'src/prices/archive/import-store.ts',
    tests: ['prices/archive/rows.store.test.ts'],
    changes: [['startOfDate(dates.thru) + DAY)', 'startOfDate(dates.thru))']],
  },
  {
    file: 'src/prices/latest/latest-answer.ts',
    tests: ['prices/latest/day-change.test.ts'],
    changes: [
      ['distance >= nearest', 'distance > nearest'],
      ['!sample.price || ', ''],
      ['TOLERANCE = 30 *', 'TOLERANCE = 31 *'],
    ],
  },
  {
    file: 'src/prices/latest/latest-answer.ts',
    tests: ['prices/latest/latest-tokens.store.test.ts'],
    changes: [['if (latest.length === 0) throw', 'if (latest.length < rows.length) throw']],
  },
  {
    file: 'src/prices/refresh/backfill.ts',
    tests: ['prices/latest/latest-tokens.store.test.ts'],
    changes: [['!isMade && latestAge(token) >= every', '!isMade && !archive.latest(token)']],
  },
  {
    file: 'src/prices/latest/token-names.ts',
    tests: ['prices/latest/latest-tokens.store.test.ts'],
    changes: [['!token || tokens.indexOf(token) !== i', '!token']],
  },
  {
    file: 'src/prices/latest/records.ts',
    tests: ['prices/latest/latest-tokens.store.test.ts'],
    changes: [['Math.ceil(tokens / TOKENS_PER_CALL)', 'Math.floor(tokens / TOKENS_PER_CALL) + 1']],
  },
];
