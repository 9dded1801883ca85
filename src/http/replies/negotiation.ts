import type { FastifyRequest } from 'fastify';
import { Problem } from '#problems';
import type { Coding } from '#services/caching/answer-body';
import type { Format } from './cache-headers.ts';

/** Of longer lists no more is read: a browser sends ten. */
const MEMBERS = 64;

/**
 * The qualities in an `Accept` or `Accept-Encoding` field, by name (RFC 9110, 12.4.2): 1 where none is given, 0 where it
 * is no number. The package `negotiator` reads lists of any length, and does not tell qualities, which are needed to
 * prefer JSON in a tie.
 */
function qualitiesIn(header: string): Map<string, number> {
  const qualities = new Map<string, number>();
  for (const entry of header.split(',', MEMBERS)) {
    const [name = '', ...parameters] = entry.split(';', MEMBERS).map((part) => part.trim().toLowerCase());
    const quality = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1);
    if (!qualities.has(name)) qualities.set(name, Number.isNaN(quality) ? 0 : quality);
  }
  return qualities;
}

/** From the most specific range that names a type: it decides on the type's quality (RFC 9110, 12.5.1). */
const RANGES = {
  json: ['application/json', 'application/*', '*/*'],
  csv: ['text/csv', 'text/*', '*/*'],
} as const;

/** JSON or CSV, whichever the caller prefers, and JSON in a tie. Throws `not_acceptable`. */
export function acceptedFormat(request: FastifyRequest): Format {
  const given = qualitiesIn(request.headers.accept ?? '*/*');
  const qualityOf = (format: Format) =>
    given.get(RANGES[format].find((range) => given.has(range)) ?? '') ?? 0;
  const [json, csv] = [qualityOf('json'), qualityOf('csv')];
  if (json > 0 || csv > 0) return csv > json ? 'csv' : 'json';
  const detail = 'This path gives application/json and text/csv: ask for one of them in Accept.';
  throw new Problem('not_acceptable', detail);
}

/** In the order of preference in a tie. */
const CODINGS = ['br', 'gzip'] as const;

function chooseCoding(header: string): Coding {
  const given = qualitiesIn(header);
  let best: Coding = 'identity';
  let quality = given.get('identity') ?? 0;
  for (const coding of CODINGS) {
    const mine = given.get(coding) ?? given.get('*') ?? 0;
    const isBetter = best === 'identity' ? mine > 0 && mine >= quality : mine > quality;
    if (isBetter) [best, quality] = [coding, mine];
  }
  return best;
}

/** Clients send few different headers, and each call needs its choice: so many are remembered, none longer. */
const REMEMBERED = 256;
const LONGEST = 256;
const chosen = new Map<string, Coding>();

/** The content coding for an `Accept-Encoding` (RFC 9110, 12.5.3). */
export function acceptedCoding(header: string | undefined): Coding {
  if (header === undefined) return 'identity';
  const known = chosen.get(header);
  if (known) return known;
  const coding = chooseCoding(header);
  if (chosen.size < REMEMBERED && header.length <= LONGEST) chosen.set(header, coding);
  return coding;
}
