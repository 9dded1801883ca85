import type { TokenName } from '#catalogue/token';
import type { Clock } from '#core/clock';
import { type CandleFile, createCandleReader } from '#prices/imports/candle-file';
import type { BadLine, CsvLine } from '#prices/imports/csv-file';
import { createDailyPrices } from '#prices/imports/units';
import { type Candle, candleLength } from '#prices/model/candle';
import type { UsdRate } from '#prices/model/currency';
import type { Interval } from '#prices/model/interval';
import type { MarketSourceName } from '#prices/model/market-sources';
import { candleImport } from './candle-cache.ts';
import { isCandleSettled } from './candle-coverage.ts';
import type { CandleStore } from './candle-store.ts';

/** The volume is in tokens. */
function inDollars({ at, open, high, low, close, volume }: Candle, usdRate: UsdRate): Candle {
  const rate = usdRate(at);
  return { at, open: open * rate, high: high * rate, low: low * rate, close: close * rate, volume };
}

const BATCH_ROWS = 2000;

/** The candles without trades since the last candle, at its close and with volume 0, and then the candle. */
function* candlesThrough(last: Candle | undefined, candle: Candle, length: number): Generator<Candle> {
  if (last) {
    const { close } = last;
    for (let at = last.at + length; at < candle.at; at += length)
      yield { at, open: close, high: close, low: close, close, volume: 0 };
  }
  yield candle;
}

type Options = {
  token: TokenName;
  source: MarketSourceName;
  interval: Interval;
  /** Whether to accept gaps. Kraken omits candles without trades. */
  allowHoles: boolean;
  /** The value of one unit of the file's currency in US dollars. Undefined for a file in US dollars. */
  usdRate?: UsdRate | undefined;
};

export function createCandleImport({ store, clock }: { store: Pick<CandleStore, 'import'>; clock: Clock }) {
  return {
    /** Reads the whole file without storing anything. Returns the number of bad lines, and the prices. */
    async check(file: CandleFile, { interval, allowHoles }: Options, onBad: (bad: BadLine) => void) {
      const daily = createDailyPrices();
      const read = createCandleReader(file, { interval, allowHoles, now: clock.now() });
      let good = 0;
      let bad = 0;
      const report = (badLine: BadLine) => {
        bad += 1;
        onBad(badLine);
      };
      for await (const line of file.lines()) {
        const result = read(line);
        if ('candle' in result) {
          good += 1;
          daily.add(result.candle.at, result.candle.open);
        } else report({ line: line.line, ...result });
      }
      if (good + bad === 0) report({ line: 1, fault: 'the file contains no candles' });
      return { bad, daily };
    },

    /** Imports a checked file as a whole or not at all. `added` counts added candles. Throws `ImportFileError`. */
    async run(file: CandleFile, { token, source, interval, allowHoles, usdRate }: Options) {
      const now = clock.now();
      const length = candleLength(interval);
      const read = createCandleReader(file, { interval, allowHoles, now });
      let count = 0;
      let added = 0;
      let first: Candle | undefined;
      let last: Candle | undefined;

      function candleOf(line: CsvLine): Candle {
        const result = read(line);
        if ('candle' in result) return usdRate ? inDollars(result.candle, usdRate) : result.candle;
        throw new Error(`line ${line.line} ${result.fault}: the file has changed since it was checked`);
      }

      async function* batches() {
        let batch: (Candle & { final: boolean })[] = [];
        for await (const line of file.lines()) {
          const candle = candleOf(line);
          count += 1;
          for (const filledCandle of candlesThrough(last, candle, length)) {
            added += filledCandle === candle ? 0 : 1;
            batch.push({ ...filledCandle, final: isCandleSettled(filledCandle.at, length, now) });
            if (batch.length < BATCH_ROWS) continue;
            yield batch;
            batch = [];
          }
          first ??= candle;
          last = candle;
        }
        yield batch;
      }

      const covered = () => ({ from: first?.at ?? 0, thru: (last?.at ?? 0) + length - 1 });
      const series = { token, interval };
      const stored = await store.import(candleImport(series), { ...series, source }, batches(), covered, now);
      return { count, added, stored };
    },
  };
}
