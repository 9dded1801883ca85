import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { addMonths, boundary, firstTerm, PLAN_NAMES, periodAt, renewedTerm } from '#users/plan';

const at = (iso: string) => Date.parse(iso);
const iso = (instant: number) => new Date(instant).toISOString();
const instant = fc.integer({ min: at('1999-12-01T00:00:00Z'), max: at('2101-01-31T23:59:59.999Z') });
const plan = fc.constantFrom(...PLAN_NAMES);

describe('one month later', () => {
  test.each([
    ['2026-01-31T10:20:30.456Z', 1, '2026-02-28T10:20:30.456Z'],
    ['2028-01-31T00:00:00.000Z', 1, '2028-02-29T00:00:00.000Z'],
    ['2028-01-30T00:00:00.000Z', 1, '2028-02-29T00:00:00.000Z'],
    ['2026-03-31T23:59:59.999Z', 1, '2026-04-30T23:59:59.999Z'],
    ['2026-12-31T12:00:00.000Z', 2, '2027-02-28T12:00:00.000Z'],
    ['2028-02-29T12:00:00.000Z', 12, '2029-02-28T12:00:00.000Z'],
    ['2028-02-29T12:00:00.000Z', 48, '2032-02-29T12:00:00.000Z'],
    ['2096-02-29T12:00:00.000Z', 48, '2100-02-28T12:00:00.000Z'],
    ['2026-11-30T00:00:00.000Z', 3, '2027-02-28T00:00:00.000Z'],
    ['2026-03-29T00:30:00.000Z', 7, '2026-10-29T00:30:00.000Z'],
  ])('%s and %d is %s', (from, months, to) => {
    expect(iso(addMonths(at(from), months))).toBe(to);
  });

  test('keeps the time of day, and the day unless the month is too short', () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: 0, max: 600 }), (from, months) => {
        const [before, after] = [new Date(from), new Date(addMonths(from, months))];
        const monthOf = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth();
        expect(after.getTime() % DAY).toBe(from % DAY);
        expect(monthOf(after) - monthOf(before)).toBe(months);
        const isLast = new Date(after.getTime() + DAY).getUTCDate() === 1;
        if (after.getUTCDate() !== before.getUTCDate()) {
          expect(isLast).toBe(true);
          expect(after.getUTCDate()).toBeLessThan(before.getUTCDate());
        }
      }),
    );
  });
});

test('boundaries do not drift after a short month', () => {
  const anchor = at('2027-01-31T08:00:00Z');
  expect([1, 2, 3, 4, 13].map((n) => iso(boundary('monthly', anchor, n)).slice(0, 10))).toEqual([
    '2027-02-28',
    '2027-03-31',
    '2027-04-30',
    '2027-05-31',
    '2028-02-29',
  ]);
});

describe('periods', () => {
  test('tile the time from the anchor: each instant is in one period, and each period starts where the last one ended', () => {
    fc.assert(
      fc.property(plan, instant, fc.integer({ min: 0, max: 40 * 365 * DAY }), (name, anchor, later) => {
        const period = periodAt(name, anchor, anchor + later);
        expect(period.start).toBeLessThanOrEqual(anchor + later);
        expect(period.end).toBeGreaterThan(anchor + later);
        expect(periodAt(name, anchor, period.start)).toEqual(period);
        expect(periodAt(name, anchor, period.end - 1)).toEqual(period);
        expect(periodAt(name, anchor, period.end).start).toBe(period.end);
        expect(addMonths(anchor, monthsBetween(anchor, period.end))).toBe(period.end);
      }),
    );
  });

  test('assigns an instant before the anchor to the first period', () => {
    const anchor = at('2026-05-15T12:00:00Z');
    expect(periodAt('monthly', anchor, anchor - HOUR)).toEqual(periodAt('monthly', anchor, anchor));
    expect(periodAt('yearly', anchor, anchor - 400 * DAY)).toEqual(periodAt('yearly', anchor, anchor));
  });
});

/** The number of calendar months from one boundary to another. */
function monthsBetween(from: number, to: number): number {
  const [a, b] = [new Date(from), new Date(to)];
  return (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth();
}

describe('a term', () => {
  test('starts with one period', () => {
    fc.assert(
      fc.property(plan, instant, (name, now) => {
        const term = firstTerm(name, now);
        expect(term).toEqual({
          plan: name,
          anchor: now,
          validUntil: addMonths(now, name === 'monthly' ? 1 : 12),
        });
      }),
    );
  });

  test('that is renewed before its end is valid until the boundary after its end', () => {
    const term = firstTerm('monthly', at('2026-01-31T12:00:00Z'));
    const renewed = renewedTerm(term, at('2026-02-28T11:59:59.999Z'));
    expect(renewed).toEqual({ ...term, validUntil: at('2026-03-31T12:00:00Z') });
  });

  test('has an exclusive end: at its end, it has lapsed, and a renewal starts a new term', () => {
    const term = firstTerm('monthly', at('2026-01-31T12:00:00Z'));
    expect(renewedTerm(term, term.validUntil)).toEqual(firstTerm('monthly', term.validUntil));
  });

  test('always ends on a boundary at most one period ahead, and its anchor changes only after a lapse', () => {
    const waits = fc.array(fc.integer({ min: 0, max: 500 * DAY }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(plan, instant, waits, (name, start, steps) => {
        let now = start;
        let term = firstTerm(name, start);
        for (const step of steps) {
          now += step;
          const next = renewedTerm(term, now);
          const running = periodAt(name, term.anchor, now);
          if (next === undefined) {
            expect(now).toBeLessThan(term.validUntil);
            expect(term.validUntil).toBe(periodAt(name, term.anchor, running.end).end);
            continue;
          }
          const lapsed = now >= term.validUntil;
          expect(next.anchor).toBe(lapsed ? now : term.anchor);
          expect(next.validUntil).toBeGreaterThan(now);
          const from = periodAt(name, next.anchor, now);
          const ahead = periodAt(name, next.anchor, from.end);
          expect([from.end, ahead.end]).toContain(next.validUntil);
          if (!lapsed) expect(next.validUntil).toBeGreaterThan(term.validUntil);
          term = next;
        }
      }),
    );
  });

  test('cannot be renewed twice in one period', () => {
    const now = at('2026-05-15T12:00:00Z');
    const once = renewedTerm(firstTerm('yearly', now), now + DAY);
    expect(once?.validUntil).toBe(at('2028-05-15T12:00:00Z'));
    expect(once && renewedTerm(once, now + 2 * DAY)).toBeUndefined();
  });
});
