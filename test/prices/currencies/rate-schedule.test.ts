import { describe, expect, test } from 'vitest';
import { HOUR, isoDate } from '#core/clock';
import { planRates } from '#prices/currencies/rate-validity';

const at = (date: string) => Date.parse(date);
const since = at('2025-06-01');

/** The fetch that is planned for a time in 2025, as of an instant: `from date, wait`, or nothing. */
function plan(now: string, { newest, fetchedAt }: { newest: string; fetchedAt: string }): string | undefined {
  const known = { from: at('2013-01-01'), newest: at(newest), fetchedAt: at(fetchedAt) };
  const planned = planRates(since, known, at(now));
  return planned && `${isoDate(planned.from)}, ${planned.wait}`;
}

describe('missing rates', () => {
  const known = { newest: at('2026-11-20'), fetchedAt: at('2026-11-20T16:00:00Z') };
  const now = at('2026-11-21T10:00:00Z');

  test.each([
    ['nothing is stored', undefined, '2025-06-01', '2025-01-01'],
    // A rate of the previous year may apply on New Year's Day.
    ['nothing is stored', undefined, '2025-01-05', '2024-01-01'],
    ['nothing is stored', undefined, '1990-01-01', '2008-01-01'],
    ['years before are stored', '2013-01-01', '2013-01-11', undefined],
    ['years after are stored', '2013-01-01', '2013-01-10', '2012-01-01'],
  ])(
    'are fetched in whole years and waited for: %s (from %s), requested from %s on',
    (_what, from, instant, planned) => {
      const plan = planRates(at(instant), { ...known, from: from === undefined ? undefined : at(from) }, now);
      expect(plan).toEqual(planned === undefined ? undefined : { from: at(planned), wait: 'end' });
    },
  );
});

describe('the next publication', () => {
  // 2026-11-20 is a Friday.
  const friday = { newest: '2026-11-20', fetchedAt: '2026-11-20T16:00:00Z' };

  test.each([
    ['2026-11-21T12:00:00Z', undefined],
    ['2026-11-22T23:00:00Z', undefined],
    ['2026-11-23T14:09:59Z', undefined],
    ['2026-11-23T14:10:00Z', '2026-08-20, none'],
  ])('is requested when it can be available: after Friday, as of %s', (now, planned) => {
    expect(plan(now, friday)).toBe(planned);
  });

  test('is awaited if a past day lacks it', () => {
    expect(plan('2026-11-24T01:00:00Z', friday)).toBe('2026-08-20, end');
    expect(plan('2026-11-23T23:59:00Z', friday)).toBe('2026-08-20, none');
    // There has been no request since Wednesday.
    const wednesday = { newest: '2026-11-18', fetchedAt: '2026-11-18T18:00:00Z' };
    expect(plan('2026-11-21T12:00:00Z', wednesday)).toBe('2026-08-18, end');
  });

  test('requires only a few calls during the longest holidays', () => {
    const known = { from: at('2013-01-01'), newest: at('2026-04-02'), fetchedAt: at('2026-04-02T15:00:00Z') };
    const calls: string[] = [];
    // Good Friday to Easter Monday: nothing is published before Tuesday.
    for (let now = at('2026-04-03T00:00:00Z'); now < at('2026-04-07T15:00:00Z'); now += HOUR / 12) {
      if (!planRates(since, known, now)) continue;
      calls.push(isoDate(now));
      known.fetchedAt = now;
    }
    const byDay = Object.groupBy(calls, (date) => date);
    expect(Math.max(...Object.values(byDay).map((ones) => ones?.length ?? 0))).toBeLessThanOrEqual(6);
    expect(calls.length).toBeLessThanOrEqual(16);
    expect(calls.at(-1)).toBe('2026-04-07');
  });

  test('is requested an hour after an unsuccessful request, and not after the clock was set back', () => {
    const monday = { newest: '2026-11-20', fetchedAt: '2026-11-23T14:10:00Z' };
    expect(plan('2026-11-23T15:09:59Z', monday)).toBeUndefined();
    expect(plan('2026-11-23T15:10:00Z', monday)).toBe('2026-08-20, none');
    expect(plan('2026-11-23T15:10:00Z', { ...monday, fetchedAt: '2027-01-01' })).toBe('2026-08-20, none');
  });

  test('is the first rate if nothing was published yet', () => {
    const empty = { from: at('2025-01-01'), newest: undefined, fetchedAt: at('2026-11-23T16:00:00Z') };
    expect(planRates(since, empty, at('2026-11-23T16:30:00Z'))).toBeUndefined();
    expect(planRates(since, empty, at('2026-11-23T19:00:00Z'))).toEqual({ from: empty.from, wait: 'end' });
  });
});
