import type { Mutations } from '../mutation.ts';

/** Failover among the statistics sources, and the daily values. */
export const statistics: Mutations[] = [
  {
    file: 'src/statistics/failover.ts',
    tests: ['statistics/sampling.test.ts'],
    changes: [
      ['isoDate(at) === isoDate(clock.now())', 'at === clock.now()'],
      ['(all.length - place)', 'all.length'],
      ['pauseOf(error) <= pauseOf(soonest)', 'pauseOf(error) < pauseOf(soonest)'],
      ['intervals.find(Number.isFinite)', 'intervals[0]'],
      ['          passedOver.set(name, error.reason);\n', ''],
      ["=== 'not_listed') await cache", "!== 'not_listed') await cache"],
      ["cause !== 'not_listed' && !isLess", '!isLess'],
      ['if (implausibleTime(beginningOf(tokenOf(symbol)), sample.at, clock.now()))', 'if (sample.at < 0)'],
    ],
  },
  {
    file: 'src/statistics/statistics.ts',
    tests: ['statistics/statistics-schedule.store.test.ts'],
    changes: [['(ageOf(`statistics:${symbol}`) < every)', '(ageOf(`statistics:${symbol}`) <= every)']],
  },
  {
    file: 'src/statistics/daily-difference.ts',
    tests: ['statistics/day-figures.test.ts'],
    changes: [
      ['offDay(sample) <= DAY_TOLERANCE', 'offDay(sample) < DAY_TOLERANCE'],
      ['stands >= stood', 'stands > stood'],
      ['offDay(a) - offDay(b)', 'offDay(b) - offDay(a)'],
      ['figures[figure] !== undefined || ', ''],
    ],
  },
  {
    file: 'src/statistics/statistics-sources.ts',
    tests: ['statistics/configured-sources.test.ts'],
    changes: [
      ['urls.length === 1 ? urls : ', ''],
      ['keyed.includes(url) ? ethereum.apiKey : undefined', 'ethereum.apiKey'],
      ['places.set(source.kind, place);', 'places.set(source.kind, 1);'],
    ],
  },
  {
    file: 'src/statistics/sources/bitcoin.ts',
    tests: ['statistics/sources/mempool.test.ts'],
    changes: [
      ['remainingBlocks === EPOCH ? null : ', ''],
      ['currentHashrate / TERAHASH', 'currentHashrate / 1e9'],
    ],
  },
  {
    file: 'src/statistics/sources/ethereum.ts',
    tests: ['statistics/sources/ethereum-key.test.ts', 'statistics/sources/published-figures.test.ts'],
    changes: [
      ['new Set([401, 402])', 'new Set([401])'],
      ['rounded(blocks.length > 0 ? total / blocks.length : null)', 'blocks.length > 0 ? total / blocks.length : null'],
    ],
  },
  {
    file: 'src/statistics/record.ts',
    tests: ['statistics/statistics-record.test.ts'],
    changes: [
      ['Math.floor(at / SECOND)', 'at'],
      ['figures[figure] ?? null', 'figures[figure] || null'],
      ['Math.round(size)', 'size'],
      ['data && withoutForeignFigures(data)', 'data'],
    ],
  },
  {
    file: 'src/statistics/record.ts',
    tests: ['statistics/sources/cryptocompare-samples.test.ts'],
    changes: [
      ["['eth', 'sol']", "['eth']"],
      ["['hashrate', 'difficulty']", "['hashrate']"],
    ],
  },
  {
    file: 'src/statistics/sources/source.ts',
    tests: ['statistics/sources/chain-figures.test.ts'],
    changes: [["  'hashrate',\n", '']],
  },
  {
    file: 'src/statistics/statistics-store.ts',
    tests: ['statistics/statistics-store.store.test.ts'],
    changes: [
      [' AND source = ${source} AND', ' AND'],
      ['COUNTERS_KEPT = 3 * DAY', 'COUNTERS_KEPT = 2 * DAY'],
      ['ORDER BY chain_count.at`', 'ORDER BY chain_count.at DESC`'],
    ],
  },
];
