import { DAY, isoDate, overlap, type Span } from '#core/clock';
import { invalidRequest, Problem } from '#core/problems';
import type { WindowRows } from '#prices/history/window-reader';
import type { Currency } from '#prices/model/currency';
import type { Interval } from '#prices/model/interval';
import { sourcesByFrequency } from '#prices/model/market-sources';
import { firstSample, type PointColumns, wholeOf } from '#prices/model/series';
import { upstreamProblem } from '#upstream/failure';
import type { FetchOutcome } from '#upstream/fetch-runner';
import { convertColumns, type UsdRate, usdRateFromSamples } from './conversion.ts';

/** The value of a currency over time. Instants in Unix ms. */
export type Valuation = {
  currency: Currency;
  source: string;
  /** Identifies these values in caches. Undefined if they have no version. */
  version: string | undefined;
  usdRate: UsdRate;
  /** The midnight (Unix ms) of the date whose rate applies at an instant. NaN if there is no rate. */
  on: UsdRate;
  missing: (span: Span) => Span[];
  isSettled: (thru: number) => boolean;
  endedOn: number | undefined;
  outcome: FetchOutcome;
};

type OfSamples = Pick<Valuation, 'currency' | 'source' | 'outcome'> & {
  version: string | undefined;
  /** The token's start (Unix ms), and the spans after it without samples. */
  beginning: number;
  gaps: readonly Span[];
  isSettled: boolean;
};

export function valuationBySamples(
  { currency, source, outcome, version, beginning, gaps, isSettled }: OfSamples,
  samples: Pick<PointColumns, 'at' | 'price'>,
  interval: Interval,
): Valuation {
  const unknown = [{ from: Number.NEGATIVE_INFINITY, thru: beginning - 1 }, ...gaps];
  return {
    currency,
    source,
    outcome,
    usdRate: usdRateFromSamples(samples, interval),
    version: version === undefined ? undefined : `${currency}:${version}`,
    missing: (requested) => unknown.flatMap((gap) => overlap(gap, requested) ?? []),
    isSettled: () => isSettled && gaps.length === 0,
    on: (at) => Math.floor(at / DAY) * DAY,
    endedOn: undefined,
  };
}

function digits(rate: number): string {
  const text = rate.toFixed(Math.min(20, Math.max(0, 9 - Math.floor(Math.log10(rate)))));
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** The value of `Quotient-Currency`: `eur;source=ecb`, plus the rate and its date for a single rate. */
export function currencyText({ currency, source, usdRate, on }: Valuation, at?: number): string {
  if (at === undefined) return `${currency};source=${source}`;
  return `${currency};rate=${digits(1 / usdRate(at))};on=${isoDate(on(at))};source=${source}`;
}

/** If rates cannot be fetched, older rates are used with their dates, and the response does not count as failed. */
export const withRates = (outcome: FetchOutcome, ofRates: FetchOutcome): FetchOutcome => ({
  ...outcome,
  fetched: outcome.fetched || ofRates.fetched,
  refreshing: outcome.refreshing || ofRates.refreshing,
});

export function rateUnavailable({ currency, endedOn, outcome }: Valuation, { from }: Span, gaps: string[]): unknown {
  if (endedOn !== undefined && from >= endedOn + DAY)
    return invalidRequest({
      location: 'query.currency',
      message: `has no rates after ${isoDate(endedOn)}`,
      fix: `another currency, or a time up to ${isoDate(endedOn)}`,
    });
  const members = { gaps };
  if (outcome.failure) return upstreamProblem(outcome.failure, { who: `The source of ${currency} rates`, members });
  const detail = `No ${currency} rate is known for the requested time.`;
  return new Problem('no_data', detail, { members });
}

/** The rows of a window in another currency. Omits rows without a known rate. */
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
