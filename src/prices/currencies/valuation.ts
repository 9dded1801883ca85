import { DAY, isoDate, overlap, type Span } from '#core/clock';
import { invalidRequest, Problem } from '#core/problems';
import type { WindowRows } from '#prices/history/window-rows';
import type { Currency } from '#prices/model/currency';
import type { Interval } from '#prices/model/interval';
import { sourcesByFrequency } from '#prices/model/market-sources';
import { firstSample, type PointColumns } from '#prices/model/sample';
import { wholeOf } from '#prices/model/series';
import { upstreamProblem } from '#upstream/failure';
import type { FetchOutcome } from '#upstream/fetch-runner';
import { convertColumns, type Worth, worthBySamples } from './conversion.ts';

/** What a currency is worth over a time, and what there is to say about it; instants in Unix ms. */
export type Valuation = {
  currency: Currency;
  /** Who tells what it is worth, as `Quotient-Currency` names it. */
  source: string;
  /** Names all that is known here, so that what was made of it can be told from what was not; undefined where nothing does. */
  version: string | undefined;
  /** What one unit is worth at an instant, in US dollars; NaN where nobody can say. */
  worth: Worth;
  /** The date of the rate that an instant is converted with (its midnight); NaN where there is none. */
  on: Worth;
  /** The parts of a span of which nobody can say what it is worth, ascending. */
  missing: (span: Span) => Span[];
  /** Whether what it was worth thru an instant will never be known otherwise. */
  isSettled: (thru: number) => boolean;
  /** The last date of a currency that has ended. */
  endedOn: number | undefined;
  /** What came of fetching it. */
  outcome: FetchOutcome;
};

type OfSamples = Pick<Valuation, 'currency' | 'source' | 'outcome'> & {
  /** Names the samples. */
  version: string | undefined;
  /** When the token begins (Unix ms), and the spans after that without samples. */
  beginning: number;
  gaps: readonly Span[];
  isSettled: boolean;
};

/** What a token is worth by its own samples of a window. */
export function valuationBySamples(
  { currency, source, outcome, version, beginning, gaps, isSettled }: OfSamples,
  samples: Pick<PointColumns, 'at' | 'price'>,
  interval: Interval,
): Valuation {
  const unknown = [{ from: Number.NEGATIVE_INFINITY, thru: beginning - 1 }, ...gaps];
  return {
    ...{ currency, source, outcome, worth: worthBySamples(samples, interval) },
    version: version === undefined ? undefined : `${currency}:${version}`,
    missing: (asked) => unknown.flatMap((gap) => overlap(gap, asked) ?? []),
    isSettled: () => isSettled && gaps.length === 0,
    on: (at) => Math.floor(at / DAY) * DAY,
    endedOn: undefined,
  };
}

/** A rate in decimal digits, ten of which are significant. */
function digits(rate: number): string {
  const text = rate.toFixed(Math.min(20, Math.max(0, 9 - Math.floor(Math.log10(rate)))));
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** `eur;source=ecb`: what `Quotient-Currency` says of an answer; of one with a single rate also that, and its date. */
export function currencyText({ currency, source, worth, on }: Valuation, at?: number): string {
  if (at === undefined) return `${currency};source=${source}`;
  return `${currency};rate=${digits(1 / worth(at))};on=${isoDate(on(at))};source=${source}`;
}

/** Where rates could not be fetched, older ones serve, whose date is told: that is no failure of the answer. */
export const withRates = (outcome: FetchOutcome, ofRates: FetchOutcome | undefined): FetchOutcome =>
  ofRates === undefined
    ? outcome
    : {
        ...outcome,
        fetched: outcome.fetched || ofRates.fetched,
        refreshing: outcome.refreshing || ofRates.refreshing,
      };

/** What to throw for a time at which nobody can say what the currency is worth. */
export function noWorth({ currency, endedOn, outcome }: Valuation, { from }: Span, gaps: string[]): unknown {
  if (endedOn !== undefined && from >= endedOn + DAY)
    return invalidRequest({
      location: 'query.currency',
      message: `is a currency that ended on ${isoDate(endedOn)}`,
      fix: `give another currency, or a time up to ${isoDate(endedOn)}`,
    });
  const members = { gaps };
  if (outcome.failure)
    return upstreamProblem(outcome.failure, { who: `The source of what ${currency} is worth`, members });
  const detail = `Nothing is known of what ${currency} was worth at the time asked for.`;
  return new Problem('no_data', detail, { members });
}

/** The rows of a window in another currency, without those of a time at which nobody can say what it is worth. */
export function convertedRows(rows: WindowRows, valuation: Valuation): WindowRows {
  const columns = convertColumns(rows.columns(), valuation.worth);
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
