import type { TokenName } from '#catalogue/token';
import { type Clock, startOfDate } from '#core/clock';
import type { ArchiveCache } from '#prices/archive/archive-cache';
import type { WindowReader } from '#prices/history/window-reader';
import { type Currency, tokenOfCurrency } from '#prices/model/currency';
import { rangeWindow, type Window } from '#prices/model/interval';
import { PRIMARY_SOURCE } from '#prices/model/market-sources';
import type { LatestPrice } from '#prices/model/records';
import type { Backfill } from '#prices/refresh/backfill';
import type { Rates } from './rates.ts';
import { type Valuation, valuationBySamples } from './valuation.ts';

type Dependencies = {
  archive: ArchiveCache;
  backfill: Backfill;
  reader: WindowReader;
  rates: Rates;
  clock: Clock;
};

/** `now` is the current value. `usdRate` returns the value on the dates of the records' extremes. */
type LatestValuation = Valuation & { now: number };

/** The known dates of the highest and the lowest price (Unix ms). */
const extremesOf = ({ ath_date, atl_date }: LatestPrice): number[] =>
  [ath_date, atl_date].flatMap((date) => (date === null ? [] : Date.parse(date)));

/** Values a currency by reference rates. If the currency is a token, uses the token's samples instead. */
export function createValuations({ archive, backfill, reader, rates, clock }: Dependencies) {
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
      outcome,
      now: price,
    };
  }

  return {
    ofWindow(currency: Currency, window: Window): Promise<Valuation> {
      const token = tokenOfCurrency(currency);
      return token ? bySamples(currency, token, window) : rates.valuation(currency, window.span.from);
    },

    async ofLatest(currency: Currency, records: readonly LatestPrice[]): Promise<LatestValuation> {
      const token = tokenOfCurrency(currency);
      const extremes = records.flatMap(extremesOf);
      if (token) return latestBySamples(currency, token, extremes);
      const now = clock.now();
      const valuation = await rates.valuation(currency, Math.min(now, ...extremes));
      return { ...valuation, now: valuation.usdRate(now) };
    },
  };
}

export type Valuations = ReturnType<typeof createValuations>;
