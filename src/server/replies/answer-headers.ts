import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { HOUR, SECOND } from '#core/clock';
import type { Answer, Representation } from '#server/replies/answer-body';
import { type SharedFields, shareFields } from './response-head.ts';

/** How long a price may be kept from now on, in ms: a budget may be raised, and the price be refreshed sooner. */
const LONGEST = HOUR;
/** Characters of a validator between its quotes: 132 bits. */
const ETAG_LENGTH = 22;
const YEAR_SECONDS = 365 * 24 * 60 * 60;
/** How long a cache may serve a stale answer while it revalidates, or when the service is down. */
const STALE = 'stale-while-revalidate=60, stale-if-error=86400';

const MEDIA_TYPES = { json: 'application/json; charset=utf-8', csv: 'text/csv; charset=utf-8' } as const;
export type Format = keyof typeof MEDIA_TYPES;

/**
 * The whole lifetime of an answer in seconds, from when it was fetched on: a cache takes `Age` off it (RFC 9111, 4.2). Of
 * one whose time is over it is less than its age.
 */
function lifetime({ fetchedAt, dueAt }: Answer, now: number): number {
  const end = Math.min(dueAt, now + LONGEST);
  return Math.max(0, Math.ceil((end - (fetchedAt ?? now)) / SECOND));
}

/**
 * How an answer came about (RFC 9211). `hit`: from what was stored; `fwd=miss; stored`: fetched for this caller;
 * `fwd=stale`: stored and past its time, with `detail` the cause of the failure to refresh it, or `refreshing`.
 */
function cacheStatus({ settled, dueAt, outcome }: Answer, now: number): string {
  if (settled) return 'quotient; hit';
  const ttl = Math.ceil((dueAt - now) / SECOND);
  const { failure, fetched, refreshing } = outcome;
  if (failure !== undefined) {
    // That of an upstream names its reason.
    const reason = failure instanceof Error && 'reason' in failure ? failure.reason : 'not_stored';
    return `quotient; fwd=stale; ttl=${ttl}; detail=${reason}`;
  }
  if (fetched) return `quotient; fwd=miss; stored; ttl=${ttl}`;
  if (refreshing) return `quotient; fwd=stale; ttl=${ttl}; detail=refreshing`;
  return `quotient; hit; ttl=${ttl}`;
}

/** Whether an `If-None-Match` names a validator (RFC 9110, 13.1.2): compared weakly, any of a list, or `*`. */
export function isNamed(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  // Most lists do not name it, and a long one is not split for nothing.
  if (!header.includes(etag)) return false;
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}

/**
 * Whether an `If-Modified-Since` is an answer's own `Last-Modified`, to the second. A later time does not do: the newest
 * sample may be fetched a minute after its time. Nor does the same time where older figures may still change: gaps that
 * are filled, figures of another source, exchange rates.
 */
function isOfSameTime(header: string, { modifiedAt, gaps, source, currency }: Answer): boolean {
  if (gaps.length > 0 || source.includes(',') || currency !== undefined) return false;
  return Date.parse(header) === Math.floor(modifiedAt / SECOND) * SECOND;
}

/** Whether the caller has an answer already: by its validator or, where none is sent, by its time (RFC 9110, 13.2.2). */
export function isKnownTo(headers: IncomingHttpHeaders, answer: Answer, etag: string): boolean {
  const { 'if-none-match': named, 'if-modified-since': since } = headers;
  return named === undefined && since !== undefined ? isOfSameTime(since, answer) : isNamed(named, etag);
}

/** The headers of an answer with 200 and with 304, and the validator that both have. */
type Headers = { etag: string; full: SharedFields; unchanged: SharedFields };

type Options = {
  /** Whether an answer to a page of another origin has other headers. */
  varyByOrigin: boolean;
  /** Makes validators that cannot be computed from a body. */
  etagKey: string;
};

/**
 * Creates what makes the headers of priced answers, for caches. They are the same for every caller within a second, and
 * made once for it.
 *
 * A 304 is free, and any client can have one: `If-None-Match: *` matches every answer (RFC 9110, 13.1.2), and the time of
 * an answer can be guessed. So a 304 reveals no figure:
 *
 * - It must have the `ETag`, `Vary` and `Cache-Control` of the 200 (RFC 9110, 15.4.5), and `Age`, without which a cache
 *   would take `max-age` for the rest of the lifetime (RFC 9111, 4.2). It also has what may change while the body does not,
 *   so that a cache stores it anew (RFC 9111, 3.2): `Last-Modified`, `Cache-Status`, `Quotient-Source`, `Quotient-Gaps`.
 *   These name times, sources and missing spans.
 * - `Quotient-Currency` is a part of the 200 alone, since it has the rate. A cache keeps the one that it stored.
 * - The `ETag` is a keyed hash. From a plain one a client could find a body by trying what it may be: often one figure is
 *   not known, such as a rate, or the newest point of a series that was paid for before.
 */
export function createCacheHeaders({ varyByOrigin, etagKey }: Options) {
  const vary = `Accept, Accept-Encoding${varyByOrigin ? ', Origin' : ''}`;
  const made = new WeakMap<Representation, { headers: Headers; answer: Answer; second: number }>();

  const keyed = (etag: string) =>
    `"${createHmac('sha256', etagKey).update(etag).digest('base64url').slice(0, ETAG_LENGTH)}"`;

  function make(answer: Answer, representation: Representation, format: Format, now: number): Headers {
    const { coding, payload } = representation;
    const etag = keyed(representation.etag);
    const { fileName, source, currency, modifiedAt, fetchedAt, settled, gaps } = answer;
    const policy = settled ? `max-age=${YEAR_SECONDS}, immutable` : `max-age=${lifetime(answer, now)}, ${STALE}`;
    const fields = ['etag', etag, 'vary', vary];
    fields.push('last-modified', new Date(modifiedAt).toUTCString(), 'cache-control', `private, ${policy}`);
    fields.push('cache-status', cacheStatus(answer, now), 'quotient-source', source);
    if (fetchedAt !== undefined) fields.push('age', String(Math.max(0, Math.floor((now - fetchedAt) / SECOND))));
    if (gaps.length > 0) fields.push('quotient-gaps', gaps.join(', '));
    const content = coding === 'identity' ? [] : ['content-encoding', coding];
    if (currency !== undefined) content.push('quotient-currency', currency);
    content.push('content-type', MEDIA_TYPES[format], 'content-length', String(payload.length));
    if (format === 'csv' && fileName !== undefined)
      content.push('content-disposition', `attachment; filename="${fileName}.csv"`);
    return { etag, full: shareFields(200, [...fields, ...content]), unchanged: shareFields(304, fields) };
  }

  return function cacheHeaders(answer: Answer, representation: Representation, format: Format, now: number): Headers {
    const second = Math.floor(now / SECOND);
    const known = made.get(representation);
    if (known && known.answer === answer && known.second === second) return known.headers;
    const headers = make(answer, representation, format, now);
    made.set(representation, { headers, answer, second });
    return headers;
  };
}

export type CacheHeaders = ReturnType<typeof createCacheHeaders>;
