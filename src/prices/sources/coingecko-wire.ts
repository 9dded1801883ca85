import { z } from 'zod';
import type { FailureCause, UpstreamFailure } from '#upstream/failures/failure';
import { createJsonReader, maybe, NUMERIC, type ReportedError, whole } from '#upstream/transport/json-response';
import type { KeyFacts } from './coingecko-plans.ts';

/* CoinGecko v3's wire format: figures as strings, arrays of unequal length, and five error formats under any status. */
const UPSTREAM = 'coingecko';
/**
 * Returns a figure, or null if it is missing. Returns undefined for any other value. A number that is too large for a
 * double becomes infinite.
 */
export function reported(value: unknown): number | null | undefined {
  if (value === undefined || value === null) return null;
  const number = typeof value === 'string' && NUMERIC.test(value) ? Number(value) : value;
  return typeof number === 'number' ? number : undefined;
}

/** The places of an error's code and text: at the top, in `status`, in `error`, and in `error.status`. */
const errorPlace = z.object({
  error_code: maybe(whole).catch(undefined),
  error_message: maybe(z.string()).catch(undefined),
  error: z.unknown().optional(),
  status: z.unknown().optional(),
});

/** The causes of CoinGecko's codes. They apply whatever the HTTP status is. */
const CAUSES: Readonly<Record<number, FailureCause>> = { 429: 'rate_limited', 1015: 'rate_limited' };
const BEYOND_TIME_RANGE = 10012;

export function namedReach({ message }: UpstreamFailure): number | undefined {
  const [, days] = /\bpast (\d{1,5}) days\b/.exec(message) ?? [];
  return days === undefined ? undefined : Number(days);
}

/** The limits of the account's plan, or the key's own limits where they are lower. */
export const keyResponse = z
  .object({
    plan: z.string(),
    rate_limit_request_per_minute: whole,
    monthly_call_credit: whole,
    current_total_monthly_calls: whole,
    api_key_rate_limit_request_per_minute: maybe(whole),
    api_key_monthly_call_credit: maybe(whole),
    api_key_current_total_monthly_calls: maybe(whole),
  })
  .transform((reported): KeyFacts => {
    const ownCredit = reported.api_key_monthly_call_credit ?? reported.monthly_call_credit;
    const ownCalls = reported.api_key_current_total_monthly_calls ?? reported.current_total_monthly_calls;
    return {
      plan: reported.plan,
      perMinute: Math.min(
        reported.rate_limit_request_per_minute,
        reported.api_key_rate_limit_request_per_minute ?? Number.POSITIVE_INFINITY,
      ),
      perMonth: Math.min(reported.monthly_call_credit, ownCredit),
      left: Math.max(
        0,
        Math.min(reported.monthly_call_credit - reported.current_total_monthly_calls, ownCredit - ownCalls),
      ),
    };
  });

function errorIn(body: unknown, isHistory: boolean): ReportedError | undefined {
  const at = (value: unknown) => errorPlace.safeParse(value).data;
  const top = at(body);
  if (!top) return undefined;
  const within = at(top.error);
  const places = [top, at(top.status), within, at(within?.status)];
  // Responses of a proxy, and of services with the same format, report success as code 0 and an empty text.
  const code = places.find((place) => place?.error_code)?.error_code ?? undefined;
  const text = [top.error, ...places.map((place) => place?.error_message)].find(
    (value) => typeof value === 'string' && value !== '',
  ) as string | undefined;
  if (code === undefined && text === undefined) return undefined;
  const isBeyond = code === BEYOND_TIME_RANGE && isHistory;
  const cause = isBeyond ? 'out_of_reach' : code === undefined ? undefined : CAUSES[code];
  return { message: text ?? `code ${code}`, cause };
}

/** Only a request for history can be out of reach. For any other request, the same code means a refusal. */
export const createReader = (apiKey: string | undefined, { isHistory = false } = {}) =>
  createJsonReader(UPSTREAM, (body) => errorIn(body, isHistory), apiKey);
