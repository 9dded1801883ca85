import { SECOND } from '#domain/clock';
import type { Answer } from '#services/caching/answer';
import type { Representation } from '#services/caching/answer-body';
import { cacheStatus } from './cache-status.ts';
import { type SharedFields, shareFields } from './response-head.ts';

/** The longest `max-age` of a price, in seconds: a budget may be raised, and the price be refreshed sooner. */
const LONGEST_SECONDS = 60 * 60;
const YEAR_SECONDS = 365 * 24 * 60 * 60;
/** How long a cache may serve a stale answer while it revalidates, or when the service is down. */
const STALE = 'stale-while-revalidate=60, stale-if-error=86400';

const MEDIA_TYPES = { json: 'application/json; charset=utf-8', csv: 'text/csv; charset=utf-8' } as const;
export type Format = keyof typeof MEDIA_TYPES;

/** Whether an `If-None-Match` names a validator (RFC 9110, 13.1.2): compared weakly, any of a list, or `*`. */
export function isKnownTo(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  // Most lists do not name it, and a long one is not split for nothing.
  if (!header.includes(etag)) return false;
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}

type Headers = { full: SharedFields; unchanged: SharedFields };

/**
 * Creates what makes the headers of priced answers, for caches. They are the same for every caller within a second, and
 * made once for it.
 * @param varyByOrigin whether an answer to a page of another origin has other headers
 */
export function createCacheHeaders(varyByOrigin: boolean) {
  const vary = `Accept, Accept-Encoding${varyByOrigin ? ', Origin' : ''}`;
  const made = new WeakMap<Representation, { headers: Headers; answer: Answer; second: number }>();

  function make(answer: Answer, { coding, payload, etag }: Representation, format: Format, now: number) {
    const { source, currency, modifiedAt, fetchedAt, dueAt, settled, gaps } = answer;
    const maxAge = Math.min(LONGEST_SECONDS, Math.max(0, Math.ceil((dueAt - now) / SECOND)));
    const policy = settled ? `max-age=${YEAR_SECONDS}, immutable` : `max-age=${maxAge}, ${STALE}`;
    const fields = ['etag', etag, 'vary', vary];
    fields.push('last-modified', new Date(modifiedAt).toUTCString(), 'cache-control', `private, ${policy}`);
    fields.push('cache-status', cacheStatus(answer, now), 'quotient-source', source);
    if (currency !== undefined) fields.push('quotient-currency', currency);
    if (fetchedAt !== undefined)
      fields.push('age', String(Math.max(0, Math.floor((now - fetchedAt) / SECOND))));
    if (gaps.length > 0) fields.push('quotient-gaps', gaps.join(', '));
    const content = coding === 'identity' ? [] : ['content-encoding', coding];
    content.push('content-type', MEDIA_TYPES[format], 'content-length', String(payload.length));
    return { full: shareFields(200, [...fields, ...content]), unchanged: shareFields(304, fields) };
  }

  return function cacheHeaders(
    answer: Answer,
    representation: Representation,
    format: Format,
    now: number,
  ): Headers {
    const second = Math.floor(now / SECOND);
    const known = made.get(representation);
    if (known && known.answer === answer && known.second === second) return known.headers;
    const headers = make(answer, representation, format, now);
    made.set(representation, { headers, answer, second });
    return headers;
  };
}

export type CacheHeaders = ReturnType<typeof createCacheHeaders>;
