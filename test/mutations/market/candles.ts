import type { Mutations } from '../mutation.ts';

/** Kraken's responses, the candles fetched for a window, their storage and their import. */
export const candles: Mutations[] = [
  {
    file: 'src/prices/sources/kraken.ts',
    tests: ['prices/sources/kraken-samples.test.ts'],
    changes: [
      ['rows.filter(({ at }) => at <= last)', 'rows'],
      ['Math.floor(from / SECOND) - 1', 'Math.floor(from / SECOND)'],
      ['thru: last + length - 1', 'thru: last - 1'],
    ],
  },
  {
    file: 'src/prices/sources/kraken-wire.ts',
    tests: ['prices/sources/kraken-samples.test.ts'],
    changes: [
      ["return status === 'online'", "return status !== 'gone'"],
      [' && reportedOf.get(token) !== status', ''],
    ],
  },
  {
    file: 'src/prices/sources/kraken-wire.ts',
    tests: ['prices/sources/kraken-samples.test.ts'],
    changes: [["one.startsWith('E')", "one !== ''"]],
  },
  {
    file: 'src/prices/model/candle.ts',
    tests: ['prices/sources/kraken-samples.test.ts'],
    changes: [
      ['at: at + length, price: close }, now', 'at, price: close }, now'],
      ['at: at + length,\n  price: close,', 'at,\n  price: close,'],
    ],
  },
  {
    file: 'src/prices/candles/candle-facts.ts',
    tests: ['prices/candles/candle-window.test.ts'],
    changes: [
      ['fetchedAt >= at + length', 'fetchedAt > at + length'],
      ['runningCandle(interval, now) - 1 }', 'runningCandle(interval, now) }'],
      ['< REQUEST_EVERY', '<= REQUEST_EVERY'],
      ["wait: 'none'", "wait: 'end'"],
      ['oldest === firstAvailable(interval, reach) ? undefined : oldest', 'oldest'],
    ],
  },
  {
    file: 'src/prices/candles/candle-facts.ts',
    tests: ['prices/candles/candle-window.test.ts', 'prices/candles/deleting-candles.store.test.ts'],
    changes: [['Math.ceil(keptFrom /', 'Math.floor(keptFrom /']],
  },
  {
    file: 'src/prices/candles/candle-cache.ts',
    tests: ['prices/candles/deleting-candles.store.test.ts'],
    changes: [
      [", 'candles-import', 'candles-purge']", ", 'candles-import']"],
      ["kind === 'candles' ?", "kind !== '' ?"],
    ],
  },
  {
    file: 'src/prices/archive/purge-store.ts',
    tests: ['prices/candles/deleting-candles.store.test.ts'],
    changes: [['table: CANDLE,', 'table: { ...CANDLE, coverageTable: POINT.coverageTable },']],
  },
  {
    file: 'src/prices/candles/candle-import.ts',
    tests: ['prices/candles/candle-text.test.ts'],
    changes: [['open: open[i]', 'open: high[i]']],
  },
  {
    file: 'src/prices/candles/candle-import.ts',
    tests: ['prices/candles/importing-candles.store.test.ts'],
    changes: [
      ['missing === 0 || allowHoles', 'missing >= 0'],
      ['at === last.at', 'at === -1'],
      ['at + length > now', 'at > now'],
    ],
  },
  {
    file: 'src/prices/candles/candle-store.ts',
    tests: ['prices/candles/importing-candles.store.test.ts', 'prices/candles/candle-calls.store.test.ts'],
    changes: [['written += await', 'written = await']],
  },
  {
    file: 'src/prices/archive/series-sql-store.ts',
    tests: ['prices/candles/candle-store.store.test.ts'],
    changes: [["hasFallback ? `${rows}.provisional` : 'false'", "hasFallback ? `${rows}.provisional` : 'true'"]],
  },
  {
    file: 'src/prices/candles/candle-availability.ts',
    tests: ['prices/available-dates.store.test.ts'],
    changes: [
      ['[stored?.at, gap?.from]', '[gap?.from]'],
      ['[stored?.at, gap?.from]', '[stored?.at ?? since]'],
      ['storedAt(await store.changes())', 'storedAt()'],
    ],
  },
  {
    file: 'src/prices/candles/candle-facts.ts',
    tests: ['prices/candles/candle-calls.store.test.ts', 'prices/candles/candles.store.test.ts'],
    changes: [
      ['        gaps.length === 0 &&\n', ''],
      ['from < newest', 'from <= newest'],
    ],
  },
];
