import type { Mutations } from './mutation.ts';

/** Failover among the sources of statistics, and the figures of a day. */
export const statistics: Mutations[] = [
  {
    file: 'src/services/statistics/failover.ts',
    tests: ['services/statistics/sampling.test.ts'],
    changes: [
      ['isoDate(at) === isoDate(clock.now())', 'at === clock.now()'],
      ['(all.length - place)', 'all.length'],
      ['pauseOf(error) <= pauseOf(soonest)', 'pauseOf(error) < pauseOf(soonest)'],
      ['intervals.find(Number.isFinite)', 'intervals[0]'],
      ['          passedOver.set(name, error.reason);\n', ''],
      ["=== 'not_listed') await cache", "!== 'not_listed') await cache"],
      ['if (implausibleTime(tokenOf(symbol), sample.at, clock.now()))', 'if (sample.at < 0)'],
    ],
  },
  {
    file: 'src/services/statistics/statistics.ts',
    tests: ['services/statistics/statistics-timetable.store.test.ts'],
    changes: [['(ageOf(`statistics:${symbol}`) < every)', '(ageOf(`statistics:${symbol}`) <= every)']],
  },
  {
    file: 'src/domain/statistics/daily-difference.ts',
    tests: ['domain/statistics/day-figures.test.ts'],
    changes: [
      ['offDay(sample) <= DAY_TOLERANCE', 'offDay(sample) < DAY_TOLERANCE'],
      ['stands >= stood', 'stands > stood'],
      ['offDay(a) - offDay(b)', 'offDay(b) - offDay(a)'],
      ['figures[figure] !== undefined || ', ''],
    ],
  },
  {
    file: 'src/domain/statistics/record.ts',
    tests: ['domain/statistics/statistics-record.test.ts'],
    changes: [
      ['Math.floor(at / SECOND)', 'at'],
      ['figures[figure] ?? null', 'figures[figure] || null'],
    ],
  },
  {
    file: 'src/stores/statistics/statistics.ts',
    tests: ['stores/statistics/statistics.store.test.ts'],
    changes: [
      [' AND source = ${source} AND', ' AND'],
      ['COUNTERS_KEPT = 3 * DAY', 'COUNTERS_KEPT = 2 * DAY'],
      ['ORDER BY chain_count.at`', 'ORDER BY chain_count.at DESC`'],
    ],
  },
];
