import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, MINUTE, startOfDate } from '#core/clock';
import { dayReady, intervalStart, midnightOf } from '#prices/model/interval';
import { firstOfEach, type Sample, splitDaily } from '#prices/model/sample';

const sample = (iso: string, price = 1): Sample => ({
  at: Date.parse(iso),
  price,
  marketCap: null,
  volume: null,
});

describe('a daily series of CoinGecko', () => {
  const NOW = Date.parse('2021-05-15T14:40:00Z');
  const split = (samples: readonly Sample[], now = NOW) => {
    const { days, trailing } = splitDaily(samples, now);
    return { days: days.map(({ at, price }) => [new Date(at).toISOString().slice(0, 16), price]), trailing };
  };

  test('consists of its midnights and the current sample after them', () => {
    const now = sample('2021-05-15T14:39:54Z');
    const midnights = [sample('2021-05-13T00:00:00Z'), sample('2021-05-15T00:00:00Z')];
    expect(splitDaily([...midnights, now], NOW)).toEqual({ days: midnights, trailing: now });
  });

  test('whose midnights are all a minute early is complete', () => {
    const early = ['2021-05-12', '2021-05-13', '2021-05-14'].map((date, i) => sample(`${date}T23:59:00Z`, i));
    expect(split(early).days).toEqual([
      ['2021-05-13T00:00', 0],
      ['2021-05-14T00:00', 1],
      ['2021-05-15T00:00', 2],
    ]);
  });

  test('has one row per date: the sample nearest to midnight, otherwise the first one of a past date', () => {
    const at = fc.integer({ min: 0, max: 8 * DAY - 1 });
    const near = fc
      .tuple(fc.integer({ min: 1, max: 7 }), fc.integer({ min: -20 * MINUTE, max: 20 * MINUTE }))
      .map(([day, apart]) => day * DAY + apart);
    fc.assert(
      fc.property(fc.uniqueArray(fc.oneof(at, near)), (some) => {
        const samples = some.sort((a, b) => a - b).map((one): Sample => ({ ...sample('2021-05-15', one), at: one }));
        const now = (some.at(-1) ?? 0) + MINUTE;
        const { days } = splitDaily(samples, now);
        expect(new Set(days.map(({ at }) => startOfDate(at))).size).toBe(days.length);
        for (let midnight = 0; midnight <= now; midnight += DAY) {
          const apart = (one: number) => Math.abs(one - midnight);
          const isReady = (one: number) => one !== some.at(-1) || one === startOfDate(one) || now >= dayReady(midnight);
          const [nearest] = some
            .filter((one) => apart(one) <= 10 * MINUTE && isReady(one))
            .sort((a, b) => apart(a) - apart(b));
          const row = days.find(({ at }) => startOfDate(at) === midnight);
          const isNearMidnight = (one: number) => midnightOf(one) !== undefined && (midnightOf(one) as number) <= now;
          const [first] = some.filter((one) => startOfDate(one) === midnight && !isNearMidnight(one));
          const isOver = midnight < startOfDate(now);
          if (nearest !== undefined) expect(row).toMatchObject({ at: midnight });
          if (nearest !== undefined) expect(apart(row?.price ?? Number.NaN)).toBe(apart(nearest));
          else expect(row?.at).toBe(isOver && first !== some.at(-1) ? first : undefined);
        }
      }),
    );
  });
});

test('returns the first sample of each slot', () => {
  const at = fc.integer({ min: 0, max: 10 * DAY });
  fc.assert(
    fc.property(fc.constantFrom('hour', 'day'), fc.uniqueArray(at), (interval, some) => {
      const samples = some.sort((a, b) => a - b).map((one): Sample => ({ ...sample('2021-05-15'), at: one }));
      const bySlot = Map.groupBy(samples, (one) => intervalStart(interval, one.at));
      expect(firstOfEach(interval, samples)).toEqual([...bySlot.values()].map(([first]) => first));
    }),
  );
});
