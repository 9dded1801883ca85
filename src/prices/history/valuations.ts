import type { TokenName } from '#catalogue/token';
import { startOfDate } from '#core/clock';
import { convertColumns } from '#prices/currencies/conversion';
import type { Rates } from '#prices/currencies/rates';
import { type LatestValuation, type Valuation, valuationBySamples } from '#prices/currencies/valuation';
import { type Currency, tokenOfCurrency } from '#prices/model/currency';
import { rangeWindow, type Window } from '#prices/model/interval';
import { PRIMARY_SOURCE, sourcesByFrequency } from '#prices/model/market-sources';
import type { LatestPrice } from '#prices/model/prices-records';
import { firstSample, wholeOf } from '#prices/model/series';
import type { ReaderDeps, WindowReader, WindowRows } from './window-reader.ts';

type Deps = ReaderDeps & { reader: WindowReader; rates: Rates };

const extremesOf = ({ ath_date, atl_date }: LatestPrice): number[] =>
  [ath_date, atl_date].flatMap((date) => (date === null ? [] : Date.parse(date)));

/** The value of a currency over time: from reference rates or, if it is a token, from the token's samples. */
export function createValuations({ archive, backfill, reader, rates, clock }: Deps) {
  async function bySamples(currency: Currency, token: TokenName, window: Window): Promise<Valuation> {
    await archive.load(token);
    const outcome = await backfill.window(token, window);
    const rows = reader.read(token, window, await reader.series(token, window));
    return valuationBySamples(
      {
        currency,
        outcome,
        version: rows.version,
        isSettled: rows.isSettled,
        source: rows.sources[0] ?? PRIMARY_SOURCE,
        beginning: archive.beginning(token),
        gaps: reader.missing(token, window),
      },
      rows.columns(),
      window.interval,
    );
  }

  async function latestBySamples(currency: Currency, token: TokenName, extremes: readonly number[]) {
    await archive.load(token);
    const outcome = await backfill.latest(token);
    const now = clock.now();
    const dates = extremes.map(startOfDate).filter((date) => date <= now);
    const span = rangeWindow('day', Math.min(...dates), Math.max(...dates), now);
    const days = dates.length > 0 ? await bySamples(currency, token, { ...span, withLatest: false }) : undefined;
    const latest = archive.latest(token);
    const price = latest?.record.current_price ?? Number.NaN;
    const at = latest?.at ?? now;
    return {
      currency,
      source: latest?.sources[0]?.source ?? PRIMARY_SOURCE,
      version: [currency, price, at, days?.version].join(),
      usdRate: (instant: number) => days?.usdRate(instant) ?? Number.NaN,
      on: () => startOfDate(at),
      missing: () => [],
      isSettled: () => false,
      endedOn: undefined,
      isAwaited: false,
      outcome,
      now: price,
    };
  }

  return {
    ofWindow(currency: Currency, window: Window): Promise<Valuation> {
      const token = tokenOfCurrency(currency);
      return token ? bySamples(currency, token, window) : rates.valuation(currency, window.span.from);
    },

    /** The values on the dates of the records' all-time highs and lows, and from `since` (Unix ms) on. */
    async ofLatest(currency: Currency, records: readonly LatestPrice[], since = clock.now()): Promise<LatestValuation> {
      const token = tokenOfCurrency(currency);
      const extremes = records.flatMap(extremesOf);
      if (token) return latestBySamples(currency, token, extremes);
      const now = clock.now();
      const valuation = await rates.valuation(currency, Math.min(now, since, ...extremes));
      return { ...valuation, now: valuation.usdRate(now) };
    },
  };
}

export type Valuations = ReturnType<typeof createValuations>;

/** Returns the rows of a window in another currency. Omits rows for which no rate is known. */
export function convertedRows(rows: WindowRows, valuation: Valuation): WindowRows {
  const columns = convertColumns(rows.columns(), valuation.usdRate);
  const isNamed = rows.version !== undefined && valuation.version !== undefined;
  return {
    isEmpty: columns.at.length === 0,
    isSettled: rows.isSettled && valuation.isSettled(rows.lastAt),
    lastAt: columns.at.at(-1) ?? rows.lastAt,
    isWide: rows.isWide,
    sources: sourcesByFrequency(columns.source),
    first: () => firstSample(wholeOf(columns)),
    columns: () => columns,
    version: isNamed ? `${rows.version};${valuation.version}` : undefined,
  };
}
