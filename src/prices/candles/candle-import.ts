import type { TokenName } from '#catalogue/token';
import type { Clock } from '#core/clock';
import type { BadLine, CsvLine, CsvLines } from '#prices/archive/import/import-row';
import { type Candle, candleLength } from '#prices/model/candle';
import type { Interval } from '#prices/model/interval';
import type { MarketSourceName } from '#prices/model/market-sources';
import { candleImport } from './candle-cache.ts';
import { isCandleSettled } from './candle-facts.ts';
import { createCandleReader, intervalOfLength, timestampOf } from './candle-file.ts';
import type { CandleStore } from './candle-store.ts';

const BATCH_ROWS = 2000;

type Options = {
  token: TokenName;
  source: MarketSourceName;
  interval: Interval;
  /** Candles may be missing: the venue leaves out those without a trade. */
  allowHoles: boolean;
};

/** Imports the bulk files of a venue into the candles of the archive. */
export function createCandleImport({ store, clock }: { store: Pick<CandleStore, 'import'>; clock: Clock }) {
  return {
    /** The interval of a file, by the smallest distance between two of its lines; or the line that has another one. */
    async intervalOf(file: CsvLines): Promise<Interval | BadLine> {
      let smallest = { length: Number.POSITIVE_INFINITY, line: 1 };
      let last = Number.NaN;
      for await (const one of file.lines()) {
        const at = timestampOf(one);
        if (typeof at === 'object') return { line: one.line, ...at };
        const length = Math.abs(at - last);
        if (length > 0 && length < smallest.length) smallest = { length, line: one.line };
        last = at;
      }
      const { length, line } = smallest;
      const between =
        length === Number.POSITIVE_INFINITY ? 'the only time' : `${length / 1000} s from the one before`;
      const fault = `${between}, which tells no interval: five minutes (300 s), hours (3600 s) or days (86400 s) are wanted`;
      return intervalOfLength(length) ?? { line, fault };
    },

    /** Reads a file to its end and stores nothing; gives the number of bad lines. Throws `ImportFileError`. */
    async check(
      file: CsvLines,
      { interval, allowHoles }: Options,
      onBad: (bad: BadLine) => void,
    ): Promise<number> {
      const read = createCandleReader({ interval, allowHoles, now: clock.now() });
      let good = 0;
      let bad = 0;
      const tell = (one: BadLine) => {
        bad += 1;
        onBad(one);
      };
      for await (const line of file.lines()) {
        const result = read(line);
        if ('candle' in result) good += 1;
        else tell({ line: line.line, ...result });
      }
      if (good + bad === 0) tell({ line: 1, fault: 'there is not one candle in the file' });
      return bad;
    },

    /**
     * Imports a file that was checked, all of it or nothing. Candles that are settled in the archive stay as they are.
     * Gives how many it has, and how many of them were stored. Throws `ImportFileError`, and what the database throws.
     */
    async run(file: CsvLines, { token, source, interval, allowHoles }: Options) {
      const now = clock.now();
      const length = candleLength(interval);
      const read = createCandleReader({ interval, allowHoles, now });
      let count = 0;
      let first: Candle | undefined;
      let last: Candle | undefined;

      function candleOf(line: CsvLine): Candle {
        const result = read(line);
        if ('candle' in result) return result.candle;
        throw new Error(`line ${line.line} ${result.fault}: the file has changed since it was checked`);
      }

      async function* batches() {
        let batch: (Candle & { settled: boolean })[] = [];
        for await (const line of file.lines()) {
          const candle = candleOf(line);
          first ??= candle;
          last = candle;
          count += 1;
          batch.push({ ...candle, settled: isCandleSettled(candle.at, length, now) });
          if (batch.length < BATCH_ROWS) continue;
          yield batch;
          batch = [];
        }
        yield batch;
      }

      const covered = () => ({ from: first?.at ?? 0, thru: (last?.at ?? 0) + length - 1 });
      const series = { token, interval };
      const stored = await store.import(candleImport(series), { ...series, source }, batches(), covered, now);
      return { count, stored };
    },
  };
}
