import { SECOND } from '#domain/clock';
import type { Answer } from '#services/caching/answer';
import type { Representation } from '#services/caching/bodies';
import { cacheStatus } from './cache-status.ts';
import { beginningOf } from './prepared-head.ts';

/** A price is asked for again after so many seconds, however long its turn is: a budget may be raised. */
const LONGEST_SECONDS = 60 * 60;
const YEAR_SECONDS = 365 * 24 * 60 * 60;
/** How long past its time a cache may go on with an answer while it asks again, or when we cannot be reached. */
const STALE = 'stale-while-revalidate=60, stale-if-error=86400';

const MEDIA_TYPES = { json: 'application/json; charset=utf-8', csv: 'text/csv; charset=utf-8' } as const;
export type Format = keyof typeof MEDIA_TYPES;

/** Whether an `If-None-Match` names a validator (RFC 9110, 13.1.2): compared weakly, any of a list, or `*`. */
export function isKnownTo(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  // A list of thousands is not taken apart for nothing.
  if (!header.includes(etag)) return false;
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}

type Parts = {
  /** Whether what an answer says of CORS depends on who asks: not when every origin may read it, or none. */
  variesByOrigin: boolean;
};

/** Headers that the answers of a second have in common: as a flat list of names and values, and as a head begins. */
export type Prepared = { readonly fields: readonly string[]; readonly beginning: string };
type Kept = Prepared & { answer: Answer; second: number };

/** What answers say of themselves to caches. */
export function createFreshness({ variesByOrigin }: Parts) {
  const vary = variesByOrigin ? 'Accept, Accept-Encoding, Origin' : 'Accept, Accept-Encoding';
  /** The headers of each representation, as they were last sent: they say the same until the second is over. */
  const prepared = new WeakMap<Representation, Kept>();

  function make(
    answer: Answer,
    { coding, payload, etag }: Representation,
    format: Format,
    now: number,
  ): string[] {
    const { source, modifiedAt, fetchedAt, dueAt, settled, gaps } = answer;
    const maxAge = Math.min(LONGEST_SECONDS, Math.max(0, Math.ceil((dueAt - now) / SECOND)));
    const policy = settled
      ? `private, max-age=${YEAR_SECONDS}, immutable`
      : `private, max-age=${maxAge}, ${STALE}`;
    const headers = ['etag', etag, 'vary', vary];
    headers.push('last-modified', new Date(modifiedAt).toUTCString(), 'cache-control', policy);
    headers.push('cache-status', cacheStatus(answer, now));
    if (fetchedAt !== undefined)
      headers.push('age', String(Math.max(0, Math.floor((now - fetchedAt) / SECOND))));
    if (source !== undefined) headers.push('quotient-source', source);
    if (gaps.length > 0) headers.push('quotient-gaps', gaps.join(', '));
    if (coding !== 'identity') headers.push('content-encoding', coding);
    headers.push('content-type', MEDIA_TYPES[format], 'content-length', String(payload.length));
    return headers;
  }

  return {
    /** What a cache wants to know of an answer that is given now (Unix ms). */
    headersOf(answer: Answer, representation: Representation, format: Format, now: number): Prepared {
      const second = Math.floor(now / SECOND);
      const known = prepared.get(representation);
      if (known && known.answer === answer && known.second === second) return known;
      const fields = make(answer, representation, format, now);
      const made = { answer, second, fields, beginning: beginningOf(fields) };
      prepared.set(representation, made);
      return made;
    },
  };
}

export type Freshness = ReturnType<typeof createFreshness>;
