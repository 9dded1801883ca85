import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, startOfDate } from '#core/clock';
import { isMidnightSample, slotOf } from '#prices/model/interval';
import { firstOfEach, type Sample, splitDaily } from '#prices/model/sample';

const sample = (iso: string, price = 1): Sample => ({
  at: Date.parse(iso),
  price,
  marketCap: null,
  volume: null,
});
const times = (samples: readonly Sample[]) => samples.map(({ at }) => new Date(at).toISOString());

describe('a daily series of CoinGecko', () => {
  test('consists of its midnights and the current sample after them', () => {
    const now = sample('2021-05-15T14:39:54Z');
    const midnights = [sample('2021-05-13T00:00:00Z'), sample('2021-05-15T00:00:00Z')];
    expect(splitDaily([...midnights, now])).toEqual({ days: midnights, trailing: now });
  });

  test('has no sample after its midnights if the last one is a midnight', () => {
    const midnights = [sample('2021-05-14T00:00:00Z'), sample('2021-05-15T00:00:00Z')];
    expect(splitDaily(midnights)).toEqual({ days: midnights, trailing: undefined });
  });

  test('has one row per date: the first one, even if it is minutes late', () => {
    const { days } = splitDaily([
      sample('2021-05-13T00:04:10Z', 1),
      sample('2021-05-13T00:09:00Z', 2),
      sample('2021-05-14T00:00:00Z', 3),
      sample('2021-05-14T00:00:01Z', 4),
      sample('2021-05-14T13:00:00Z', 5),
      sample('2021-05-15T01:00:00Z', 6),
      sample('2021-05-15T02:00:00Z', 7),
    ]);
    expect(times(days)).toEqual(['2021-05-13T00:04:10.000Z', '2021-05-14T00:00:00.000Z']);
    expect(days.map(({ price }) => price)).toEqual([1, 3]);
  });

  test('has a row at another time for a past date without a midnight', () => {
    const { days, trailing } = splitDaily([
      sample('2017-06-05T00:00:00Z'),
      sample('2017-06-06T23:29:00Z'),
      sample('2017-06-07T00:00:00Z'),
      sample('2017-06-08T23:39:00Z'),
      sample('2017-06-08T23:40:00Z'),
      sample('2017-06-09T07:00:00Z'),
      sample('2017-06-09T08:00:00Z'),
    ]);
    expect(times(days).map((time) => time.slice(0, 16))).toEqual([
      '2017-06-05T00:00',
      '2017-06-06T23:29',
      '2017-06-07T00:00',
      '2017-06-08T23:39',
    ]);
    expect(trailing).toEqual(sample('2017-06-09T08:00:00Z'));
  });

  test('has one row per past date: at midnight if there is one, otherwise the first one', () => {
    const at = fc.integer({ min: 0, max: 8 * DAY - 1 });
    const near = fc
      .integer({ min: 0, max: 7 })
      .chain((day) => fc.integer({ min: 0, max: DAY / 12 }).map((ms) => day * DAY + ms));
    fc.assert(
      fc.property(fc.uniqueArray(fc.oneof(at, near)), (some) => {
        const samples = some.sort((a, b) => a - b).map((one): Sample => ({ ...sample('2021-05-15'), at: one }));
        const last = startOfDate(some.at(-1) ?? 0);
        const { days } = splitDaily(samples);
        for (const [date, mine] of Map.groupBy(some, startOfDate)) {
          if (date === last) continue;
          const row = days.filter(({ at }) => startOfDate(at) === date);
          expect(row.map(({ at }) => at)).toEqual([mine.find(isMidnightSample) ?? mine[0]]);
        }
        expect(days.filter(({ at }) => startOfDate(at) === last && !isMidnightSample(at))).toEqual([]);
      }),
    );
  });

  test('is empty without samples', () => {
    expect(splitDaily([])).toEqual({ days: [], trailing: undefined });
  });

  test('consists of the current sample if that is the only one', () => {
    const now = sample('2021-05-15T00:20:00Z');
    expect(splitDaily([now])).toEqual({ days: [], trailing: now });
  });
});

test('returns the first sample of each slot', () => {
  const at = fc.integer({ min: 0, max: 10 * DAY });
  fc.assert(
    fc.property(fc.constantFrom('hour', 'day'), fc.uniqueArray(at), (interval, some) => {
      const samples = some.sort((a, b) => a - b).map((one): Sample => ({ ...sample('2021-05-15'), at: one }));
      const bySlot = Map.groupBy(samples, (one) => slotOf(interval, one.at));
      expect(firstOfEach(interval, samples)).toEqual([...bySlot.values()].map(([first]) => first));
    }),
  );
});
