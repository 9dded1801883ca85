import { createHmac } from 'node:crypto';
import { type IncomingHttpHeaders, STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';
import { HOUR, SECOND } from '#core/clock';
import type { DataResponse, Representation } from '#server/responses/response-body';

/** How long a price may be cached from now on, in ms. If the budget is raised, the price may be refreshed sooner. */
const MAX_LIFETIME = HOUR;
/** The number of characters between the quotes of a validator: 132 bits. */
const ETAG_LENGTH = 22;
const YEAR_SECONDS = 365 * 24 * 60 * 60;
/** How long a cache may serve a stale response while it revalidates or the service is down, in seconds. */
const STALE = 'stale-while-revalidate=60, stale-if-error=86400';
const CSV = 'text/csv; charset=utf-8';
const MEDIA_TYPES = { json: 'application/json; charset=utf-8', csv: CSV, 'semicolon-csv': CSV } as const;
/** `semicolon-csv` is CSV with a decimal comma. */
export type Format = keyof typeof MEDIA_TYPES;

/** The lifetime in seconds from the fetch, because caches subtract `Age` (RFC 9111, 4.2). Less than `Age` if stale. */
function lifetime({ fetchedAt, dueAt }: DataResponse, now: number): number {
  const end = Math.min(dueAt, now + MAX_LIFETIME);
  return Math.max(0, Math.ceil((end - (fetchedAt ?? now)) / SECOND));
}

/**
 * How a response was produced (RFC 9211). `fwd=miss; stored`: fetched for this request. `fwd=stale`: stored, but due.
 * `detail` is then the failure of the refresh, `refreshing`, or `stale` if the source has no newer data.
 */
function cacheStatus({ isImmutable, dueAt, outcome }: DataResponse, now: number): string {
  if (isImmutable) return 'quotient; hit';
  const ttl = Math.ceil((dueAt - now) / SECOND);
  const { failure, fetched, refreshing } = outcome;
  if (failure !== undefined) {
    // An upstream failure has a reason.
    const reason = failure instanceof Error && 'reason' in failure ? failure.reason : 'not_stored';
    return `quotient; fwd=stale; ttl=${ttl}; detail=${reason}`;
  }
  if (refreshing) return `quotient; fwd=stale; ttl=${ttl}; detail=refreshing`;
  if (dueAt < now) return `quotient; fwd=stale; ttl=${ttl}; detail=stale`;
  if (fetched) return `quotient; fwd=miss; stored; ttl=${ttl}`;
  return `quotient; hit; ttl=${ttl}`;
}

/** Whether an `If-None-Match` contains a validator (RFC 9110, 13.1.2): weak comparison, lists and `*`. */
export function isNamed(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  // Most lists do not contain the validator. This check avoids splitting them.
  if (!header.includes(etag)) return false;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/**
 * Whether an `If-Modified-Since` equals the response's `Last-Modified`. A later time does not match, because the newest
 * sample may be fetched a minute after its time, and no time matches if older figures may still change.
 */
function isOfSameTime(header: string, { modifiedAt, gaps, source, currency }: DataResponse): boolean {
  if (gaps.length > 0 || source.includes(',') || currency !== undefined) return false;
  return Date.parse(header) === Math.floor(modifiedAt / SECOND) * SECOND;
}

/** Whether the client has the response, by its validator or, without one, its time (RFC 9110, 13.2.2). */
export function isKnownTo(headers: IncomingHttpHeaders, response: DataResponse, etag: string): boolean {
  const { 'if-none-match': named, 'if-modified-since': since } = headers;
  return named === undefined && since !== undefined ? isOfSameTime(since, response) : isNamed(named, etag);
}

export function linesOf(fields: readonly string[]): string {
  let lines = '';
  for (let i = 0; i < fields.length; i += 2) lines += `${fields[i]}: ${fields[i + 1]}\r\n`;
  return lines;
}

/** Header fields that many responses share, both as a flat list and as the first lines of a head. */
export type SharedFields = { readonly fields: readonly string[]; readonly lines: string };

/** Throws if a field is not well-formed. */
export function shareFields(status: number, fields: readonly string[]): SharedFields {
  for (let i = 0; i < fields.length; i += 2) {
    validateHeaderName(fields[i] as string);
    validateHeaderValue(fields[i] as string, fields[i + 1] as string);
  }
  return { fields, lines: `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${linesOf(fields)}` };
}

type Headers = { etag: string; full: SharedFields; unchanged: SharedFields };

type Options = {
  varyByOrigin: boolean;
  /** The key of the validators. Without this key, clients could compute a validator from a body. */
  etagKey: string;
};

/**
 * Creates the cache headers of charged responses, once per second for all clients. A 304 reveals no figure (README.md).
 * It must contain the `ETag`, `Vary` and `Cache-Control` of the 200 (RFC 9110, 15.4.5), `Age`, without which a cache
 * would add a full `max-age` (RFC 9111, 4.2), and all headers that may change while the body stays the same (RFC 9111,
 * 3.2).
 */
export function createCacheHeaders({ varyByOrigin, etagKey }: Options) {
  const vary = `Accept, Accept-Encoding${varyByOrigin ? ', Origin' : ''}`;
  const headersByRepresentation = new WeakMap<
    Representation,
    { headers: Headers; response: DataResponse; second: number }
  >();

  const keyed = (etag: string) =>
    `"${createHmac('sha256', etagKey).update(etag).digest('base64url').slice(0, ETAG_LENGTH)}"`;

  function make(response: DataResponse, representation: Representation, format: Format, now: number): Headers {
    const { coding, payload } = representation;
    const etag = keyed(representation.etag);
    const { fileName, source, currency, modifiedAt, fetchedAt, isImmutable, gaps, token } = response;
    const policy = isImmutable ? `max-age=${YEAR_SECONDS}, immutable` : `max-age=${lifetime(response, now)}, ${STALE}`;
    const fields = ['etag', etag, 'vary', vary];
    fields.push('last-modified', new Date(modifiedAt).toUTCString(), 'cache-control', `private, ${policy}`);
    fields.push('cache-status', cacheStatus(response, now), 'quotient-source', source);
    if (fetchedAt !== undefined) fields.push('age', String(Math.max(0, Math.floor((now - fetchedAt) / SECOND))));
    if (gaps.length > 0) fields.push('quotient-gaps', gaps.join(', '));
    if (token !== undefined) fields.push('quotient-token', token);
    const content = coding === 'identity' ? [] : ['content-encoding', coding];
    if (currency !== undefined) content.push('quotient-currency', currency);
    content.push('content-type', MEDIA_TYPES[format], 'content-length', String(payload.length));
    if (format !== 'json' && fileName !== undefined)
      content.push('content-disposition', `attachment; filename="${fileName}.csv"`);
    return { etag, full: shareFields(200, [...fields, ...content]), unchanged: shareFields(304, fields) };
  }

  return function cacheHeaders(
    response: DataResponse,
    representation: Representation,
    format: Format,
    now: number,
  ): Headers {
    const second = Math.floor(now / SECOND);
    const cached = headersByRepresentation.get(representation);
    if (cached && cached.response === response && cached.second === second) return cached.headers;
    const headers = make(response, representation, format, now);
    headersByRepresentation.set(representation, { headers, response, second });
    return headers;
  };
}

export type CacheHeaders = ReturnType<typeof createCacheHeaders>;
