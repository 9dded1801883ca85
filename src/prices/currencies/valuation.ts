import { DAY, isoDate, overlap, type Span } from '#core/clock';
import { invalidRequest, Problem } from '#core/problems';
import type { Currency, UsdRate } from '#prices/model/currency';
import type { Interval } from '#prices/model/interval';
import type { PointColumns } from '#prices/model/series';
import { UpstreamFailure, upstreamProblem } from '#upstream/failures/failure';
import type { FetchOutcome } from '#upstream/fetch-runner';
import { usdRateFromSamples } from './conversion.ts';

/** The value of a currency over time. Instants in Unix ms. */
export type Valuation = {
  currency: Currency;
  source: string;
  /** Identifies these values in caches. Undefined if the values have no version. */
  version: string | undefined;
  usdRate: UsdRate;
  /** The midnight (Unix ms) of the date whose rate applies at an instant. NaN if there is no rate. */
  on: UsdRate;
  missing: (span: Span) => Span[];
  isSettled: (thru: number) => boolean;
  endedOn: number | undefined;
  /** Whether no rate for a current currency has been fetched yet. */
  isAwaited: boolean;
  outcome: FetchOutcome;
};

/** `now` is the current value. `usdRate` returns the value on the dates of the records' all-time highs and lows. */
export type LatestValuation = Valuation & { now: number };

type OfSamples = Pick<Valuation, 'currency' | 'source' | 'outcome'> & {
  version: string | undefined;
  /** The token's start (Unix ms), and the later spans without samples. */
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
    isAwaited: false,
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
export const withRates = (outcome: FetchOutcome, ofRates: FetchOutcome | undefined): FetchOutcome => ({
  ...outcome,
  fetched: outcome.fetched || (ofRates?.fetched ?? false),
  refreshing: outcome.refreshing || (ofRates?.refreshing ?? false),
});

/** The `Retry-After` while rates are awaited, in seconds. */
const UNTIL_RATES = 60;
/** Whether the source responded without rates for a period that must have rates. */
const isEmptyResponse = (failure: unknown): boolean => failure instanceof UpstreamFailure && failure.reason === 'empty';

export function rateUnavailable(valuation: Valuation, { from }: Span, gaps: string[]): unknown {
  const { currency, endedOn, isAwaited, outcome } = valuation;
  if (endedOn !== undefined && from >= endedOn + DAY)
    return invalidRequest({
      location: 'query.currency',
      message: `has no rates after ${isoDate(endedOn)}`,
      fix: `use another currency, or a time up to ${isoDate(endedOn)}`,
    });
  const members = { gaps };
  if (isEmptyResponse(outcome.failure) || (isAwaited && !outcome.failure)) {
    const detail = `The ${currency} rates are not available yet.`;
    return new Problem('upstream_unavailable', detail, { cause: outcome.failure, members, retryAfter: UNTIL_RATES });
  }
  if (outcome.failure) return upstreamProblem(outcome.failure, { who: `The source of ${currency} rates`, members });
  const detail = `No ${currency} rate is known for the requested time.`;
  return new Problem('no_data', detail, { members });
}
