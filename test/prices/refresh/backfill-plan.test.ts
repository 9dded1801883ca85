import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, iso, MINUTE, startOfDate, union } from '#core/clock';
import { daysWindow, INTERVALS, rangeWindow, type Window } from '#prices/model/interval';
import { type FetchKind, type PlanInput, planFetches } from '#prices/refresh/backfill-plan';

const at = (time: string) => Date.parse(time);
const NOW = at('2026-05-15T14:42:25.300Z');
const BEGINS = at('2009-01-03');
const LISTED = at('2013-04-28');
const YEAR = 365 * DAY;
const EVER = Number.NEGATIVE_INFINITY;
const SCHEDULE = { latest: 2 * MINUTE, chart: HOUR };

type Situation = Partial<Omit<PlanInput, 'fetchedAt'>> & { fetched?: Partial<Record<FetchKind, number>> };

/** The default facts: a token without stored data, on a plan whose range is one year. */
function inputAt(now: number, { fetched = {}, ...given }: Situation = {}): PlanInput {
  return {
    now,
    earliest: BEGINS,
    beginning: LISTED,
    isBeginningCovered: false,
    missing: [],
    missingSince: undefined,
    coverage: [],
    reach: now - YEAR,
    isSettled: false,
    newestAt: undefined,
    fetchedAt: (kind) => fetched[kind],
    schedule: SCHEDULE,
    tried: [],
    hasFailed: false,
    ...given,
  };
}

/** The fetches for a window, as text. */
const plan = (window: Window, now = NOW, situation: Situation = {}) =>
  planFetches(window, inputAt(now, situation)).map(
    ({ kind, span, wait }) =>
      `${kind}${kind === 'daily' || kind === 'hours' ? ` from ${iso(span.from)}` : ''}, wait: ${wait}`,
  );
const days = (count: number, now = NOW) => daysWindow(count, now);
const range = (interval: Window['interval'], from: string, thru: string, now = NOW) =>
  rangeWindow(interval, at(from), at(thru), now);
const span = (from: string, thru: string) => ({ from: at(from), thru: at(thru) });

/** The facts after everything was fetched at an instant. */
const knownSince = (then: number, interval: Window['interval']): Situation => ({
  coverage: [{ from: LISTED, thru: interval === 'day' ? startOfDate(then) + DAY - 1 : then }],
  newestAt: then,
  fetched: { daily: then, hours: then, chart: then, latest: then },
});

describe('the daily series', () => {
  const WHOLE = ['daily from 2025-05-16T00:00:00.000Z, wait: end'];

  test.each<[string, Window]>([
    ['30 days', days(30)],
    ['365 days', days(365)],
    ['yesterday', range('day', '2026-05-14', '2026-05-14')],
    ['a month of last year', range('day', '2025-06-01', '2025-07-01')],
  ])('is fetched over the plan’s range for any first window: %s', (_name, window) => {
    expect(plan(window)).toEqual(WHOLE);
  });

  test('is fetched from the chain’s beginning if the plan has an unlimited range, because it may start before the listing', () => {
    expect(plan(days(30), NOW, { reach: EVER })).toEqual(['daily from 2009-01-03T00:00:00.000Z, wait: end']);
  });

  describe('is requested once if a window starts before its known beginning', () => {
    const before = range('day', '2013-01-30', '2013-01-30');
    const all = { ...knownSince(NOW, 'day'), isBeginningCovered: true };
    const imported = { ...all, fetched: { latest: NOW } };
    const WHOLE_CHAIN = ['daily from 2009-01-03T00:00:00.000Z, wait: end'];

    test.each<[string, Window, Situation, string[]]>([
      ['without any fetch', before, { reach: EVER }, WHOLE_CHAIN],
      ['that is known only from an import', before, { ...imported, reach: EVER }, WHOLE_CHAIN],
      ['up to now', days(6000), { ...imported, reach: EVER }, WHOLE_CHAIN],
      ['in hours', range('hour', '2012-01-01', '2012-02-01'), { reach: EVER }, WHOLE_CHAIN],
      ['that CoinGecko has reported', before, { ...all, reach: EVER }, []],
      ['in hours, that CoinGecko has reported', range('hour', '2012-01-01', '2012-02-01'), { ...all, reach: EVER }, []],
      ['beyond the plan’s range', before, {}, []],
      ['before the beginning of its chain', range('day', '2008-01-01', '2009-01-02'), { reach: EVER }, []],
      ['in minutes', range('minute', '2012-01-01', '2012-02-01'), { reach: EVER }, []],
      ['that failed within the last hour', before, { reach: EVER, tried: ['daily'], hasFailed: true }, []],
    ])('%s', (_name, window, situation, expected) => {
      expect(plan(window, NOW, situation)).toEqual(expected);
    });

    test('over a limited plan’s range', () => {
      const young = { beginning: at('2026-01-01'), earliest: at('2020-01-01') };
      const january = range('day', '2025-12-01', '2025-12-31');
      expect(plan(january, NOW, young)).toEqual(['daily from 2025-05-16T00:00:00.000Z, wait: end']);
      expect(plan(january, NOW, { ...young, earliest: at('2025-12-24') })).toEqual([
        'daily from 2025-12-24T00:00:00.000Z, wait: end',
      ]);
    });
  });

  test.each([
    ['2026-05-16T00:00:00.000Z', ['latest, wait: moment']],
    ['2026-05-16T00:39:59.999Z', ['latest, wait: moment']],
    ['2026-05-16T00:40:00.000Z', ['daily from 2026-05-16T00:00:00.000Z, wait: none', 'latest, wait: moment']],
  ])('is extended when the next day is ready: at %s', (time, expected) => {
    expect(plan(days(30, at(time)), at(time), knownSince(NOW, 'day'))).toEqual(expected);
  });

  test('is not fetched for the rest of the day after that', () => {
    for (let hour = 1; hour < 23; hour++) {
      const now = at('2026-05-16T00:40:00Z') + hour * HOUR;
      const known = knownSince(at('2026-05-16T00:40:00Z'), 'day');
      expect(plan(days(30, now), now, known)).toEqual(['latest, wait: moment']);
    }
  });

  test('that lacks only its newest day delays only requests for that day', () => {
    const now = at('2026-05-16T00:50:00Z');
    const known = { ...knownSince(NOW, 'day'), newestAt: now, fetched: { daily: NOW, latest: now } };
    expect(plan(days(30, now), now, known)).toEqual(['daily from 2026-05-16T00:00:00.000Z, wait: none']);
    const today = range('day', '2026-05-16', '2026-05-16', now);
    expect(plan(today, now, known)).toEqual(['daily from 2026-05-16T00:00:00.000Z, wait: end']);
  });

  test('that is two days old is waited for; if older, it is served after a short wait and refreshed in the background', () => {
    const twoDays = NOW + 2 * DAY;
    expect(plan(days(30, twoDays), twoDays, { ...knownSince(NOW, 'day'), newestAt: twoDays })).toEqual([
      'daily from 2026-05-16T00:00:00.000Z, wait: end',
    ]);
    const known = { ...knownSince(NOW, 'day'), newestAt: twoDays, fetched: { daily: NOW - DAY } };
    const coverage = [{ from: LISTED, thru: startOfDate(twoDays) - 1 }];
    expect(plan(days(30, twoDays), twoDays, { ...known, coverage })).toEqual([
      'daily from 2026-05-17T00:00:00.000Z, wait: moment',
    ]);
  });

  test('is requested again an hour later, and not earlier, if a due day was missing', () => {
    const requested = at('2026-05-15T00:45:00Z');
    const coverage = [span('2013-04-28', '2026-05-14T23:59:59.999Z')];
    const known = (now: number): Situation => ({ coverage, newestAt: now, fetched: { daily: requested } });
    const window = (now: number) => range('day', '2026-05-14', '2026-05-15', now);
    const before = at('2026-05-15T01:44:59.999Z');
    expect(plan(window(before), before, known(before))).toEqual([]);
    const after = at('2026-05-15T01:45:00.000Z');
    expect(plan(window(after), after, known(after))).toEqual(['daily from 2026-05-15T00:00:00.000Z, wait: none']);
  });

  test('fetched before its day was ready is fetched again when it is ready, however soon that is', () => {
    const coverage = [span('2013-04-28', '2026-05-14T23:59:59.999Z')];
    const today = (time: string) => {
      const now = at(time);
      const fetched = { daily: at('2026-05-15T00:36:00Z') };
      return plan(range('day', '2026-05-15', '2026-05-15', now), now, { coverage, fetched, newestAt: now });
    };
    expect(today('2026-05-15T00:39:59.000Z')).toEqual([]);
    expect(today('2026-05-15T00:40:00.000Z')).toEqual(['daily from 2026-05-15T00:00:00.000Z, wait: end']);
  });

  test('is not requested for a gap, that is, a date known to have no data', () => {
    const week = range('day', '2026-05-08', '2026-05-14');
    expect(plan(week, NOW, { coverage: [span('2026-05-08', '2026-05-14T23:59:59.999Z')] })).toEqual([]);
  });
});

describe('hours', () => {
  test('of a long window take at most five calls for one response', () => {
    const decade = range('hour', '2015-01-01', '2025-01-01');
    expect(plan(decade, NOW, { reach: EVER })).toHaveLength(5);
    expect(plan(decade, NOW, { reach: EVER, tried: ['hours', 'hours', 'hours'] })).toHaveLength(2);
    expect(plan(decade, NOW, { reach: EVER, tried: Array(5).fill('hours') })).toEqual([]);
  });
});

describe('the latest prices', () => {
  test('are fetched with a window that ends now if they are due', () => {
    const known = (age: number) => ({
      ...knownSince(NOW, 'day'),
      newestAt: NOW - age,
      fetched: { latest: NOW - age },
    });
    expect(plan(days(30), NOW, known(2 * MINUTE - 1))).toEqual([]);
    expect(plan(days(30), NOW, known(2 * MINUTE))).toEqual(['latest, wait: none']);
    expect(plan(days(30), NOW, known(4 * MINUTE + 1))).toEqual(['latest, wait: moment']);
    expect(plan(range('day', '2026-05-01', '2026-05-14'), NOW, known(DAY))).toEqual([]);
  });

  test('are not fetched if another fetch has just returned the newest sample, or if they do not contain the token', () => {
    expect(plan(days(30), NOW, { ...knownSince(NOW, 'day'), fetched: { latest: NOW - DAY } })).toEqual([]);
    expect(plan(days(30), NOW, { ...knownSince(NOW, 'day'), newestAt: NOW - DAY })).toEqual([]);
  });

  test('are waited for if the daily series has no newest sample', () => {
    const { coverage } = knownSince(NOW, 'day');
    expect(plan(days(30), NOW, { coverage, tried: ['daily'] })).toEqual(['latest, wait: end']);
  });
});

describe('are not waited for after a failure', () => {
  test.each<[string, Window, FetchKind, string[]]>([
    ['days', days(30), 'daily', ['latest, wait: moment']],
    ['hours', days(10), 'hours', ['chart, wait: moment', 'latest, wait: moment']],
    ['minutes', days(1), 'chart', ['latest, wait: moment']],
  ])('%s', (_name, window, kind, expected) => {
    expect(plan(window, NOW, { tried: [kind], hasFailed: true })).toEqual(expected);
  });
});

test('plans executed in sequence terminate, and repeat no fetch except hours', () => {
  const instant = fc.integer({ min: at('2024-01-01'), max: NOW });
  const covered = fc.tuple(instant, instant).map(([from, thru]) => ({ from, thru }));
  fc.assert(
    fc.property(
      fc.constantFrom(...INTERVALS),
      fc.array(covered, { maxLength: 4 }),
      fc.integer({ min: 1, max: 400 }),
      fc.boolean(),
      (interval, coverage, length, isUnbounded) => {
        const window = rangeWindow(interval, startOfDate(NOW) - length * DAY, startOfDate(NOW), NOW);
        const fetched: Partial<Record<FetchKind, number>> = {};
        const situation = { fetched, coverage: union(coverage), tried: [] as FetchKind[] };
        for (let calls = 0; ; calls++) {
          expect(calls).toBeLessThanOrEqual(7);
          const reach = isUnbounded ? EVER : NOW - YEAR;
          const [next] = planFetches(window, inputAt(NOW, { ...situation, reach }));
          if (!next) break;
          fetched[next.kind] = NOW;
          situation.tried.push(next.kind);
          if (next.kind !== 'latest') situation.coverage = union([...situation.coverage, next.span]);
        }
        const once = situation.tried.filter((kind) => kind !== 'hours');
        expect(once).toEqual([...new Set(once)]);
      },
    ),
  );
});
