import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR } from '#domain/clock';
import { slotOf } from '#domain/market/interval';
import { firstOfEach, isMidnightSample, type Sample, splitDaily } from '#domain/market/sample';

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

  test('of nothing is nothing', () => {
    expect(splitDaily([])).toEqual({ days: [], trailing: undefined });
  });

  test('of one sample that is not a midnight is that sample', () => {
    const now = sample('2021-05-15T00:20:00Z');
    expect(splitDaily([now])).toEqual({ days: [], trailing: now });
  });
});

test('a sample within the hour after midnight can be its date’s', () => {
  const midnight = Date.parse('2021-05-15');
  expect([-1, 0, HOUR - 1, HOUR].map((late) => isMidnightSample(midnight + late))).toEqual([
    false,
    true,
    true,
    false,
  ]);
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
