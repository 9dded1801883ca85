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

describe('a daily series as it comes', () => {
  test('is its midnights, and the sample of now behind them', () => {
    const now = sample('2021-05-15T14:39:54Z');
    const midnights = [sample('2021-05-13T00:00:00Z'), sample('2021-05-15T00:00:00Z')];
    expect(splitDaily([...midnights, now])).toEqual({ days: midnights, trailing: now });
  });

  test('has no sample behind it when its last is a midnight', () => {
    const midnights = [sample('2021-05-14T00:00:00Z'), sample('2021-05-15T00:00:00Z')];
    expect(splitDaily(midnights)).toEqual({ days: midnights, trailing: undefined });
  });

  test('has one row for a date: the first, also when it came minutes late', () => {
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

  test('has for a date that is over a row of another time, where there is none of midnight', () => {
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

  test('has one row for each date that is over: of midnight where there is one, else the first of all', () => {
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

  test('of nothing is nothing', () => {
    expect(splitDaily([])).toEqual({ days: [], trailing: undefined });
  });

  test('of one sample that is not a midnight is that sample', () => {
    const now = sample('2021-05-15T00:20:00Z');
    expect(splitDaily([now])).toEqual({ days: [], trailing: now });
  });
});

test('the first of each slot is one for each slot there is, and none lies before it', () => {
  const at = fc.integer({ min: 0, max: 10 * DAY });
  fc.assert(
    fc.property(fc.constantFrom('hour', 'day'), fc.uniqueArray(at), (interval, some) => {
      const samples = some.sort((a, b) => a - b).map((one): Sample => ({ ...sample('2021-05-15'), at: one }));
      const bySlot = Map.groupBy(samples, (one) => slotOf(interval, one.at));
      expect(firstOfEach(interval, samples)).toEqual([...bySlot.values()].map(([first]) => first));
    }),
  );
});
