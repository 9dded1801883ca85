import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidRequest, Problem } from '#core/problems';
import type { Coding } from '#server/replies/answer-body';
import type { Format } from '#server/replies/answer-headers';

/** The maximum length of a list. Longer lists are truncated. A browser sends ten members. */
const MEMBERS = 64;

/**
 * Returns the qualities by name (RFC 9110, 12.4.2). The library `negotiator` parses lists of any length and hides the
 * qualities, which are needed to resolve a tie.
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

/** The quality of a media type, or 0 if unacceptable. The most specific matching range decides (RFC 9110, 12.5.1). */
function qualityOf(mediaType: string, qualities: ReadonlyMap<string, number>): number {
  const range = [mediaType, mediaType.replace(/\/.*/, '/*'), '*/*'].find((one) => qualities.has(one));
  return range === undefined ? 0 : (qualities.get(range) as number);
}

/** Returns the preferred media type; the first in a tie or without an `Accept`. Throws `not_acceptable`. */
export function acceptedType<MediaType extends string>(
  { headers: { accept } }: FastifyRequest,
  mediaTypes: readonly MediaType[],
): MediaType {
  const qualities = qualitiesIn(accept || '*/*');
  let best: MediaType | undefined;
  let most = 0;
  for (const mediaType of mediaTypes) {
    const quality = qualityOf(mediaType, qualities);
    if (quality > most) [best, most] = [mediaType, quality];
  }
  if (best !== undefined) return best;
  const detail = `This path returns only ${mediaTypes.join(' or ')}. Accept one of these types, or omit the Accept header.`;
  throw new Problem('not_acceptable', detail);
}

const PROBLEM_TYPES = ['application/problem+json', 'application/json'];

/** Whether an `Accept` prefers HTML to a JSON problem, as a browser's does. */
export function prefersHtml(accept = ''): boolean {
  if (!accept.includes('text/html')) return false;
  const qualities = qualitiesIn(accept);
  const html = qualityOf('text/html', qualities);
  return PROBLEM_TYPES.every((type) => html > qualityOf(type, qualities));
}

/** The codings in order of preference, which resolves a tie. */
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

/** The number and maximum length of cached headers. Clients send few distinct headers, but with every call. */
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

declare module 'fastify' {
  interface FastifyRequest {
    format: Format;
  }
}

const FORMATS = { 'application/json': 'json', 'text/csv': 'csv' } as const satisfies Record<string, Format>;
type Requested = (typeof FORMATS)[keyof typeof FORMATS];
type MediaType = keyof typeof FORMATS;
const MEDIA_TYPES = Object.keys(FORMATS) as MediaType[];
const JSON_ALONE: readonly MediaType[] = ['application/json'];

/** The URL takes precedence over `Accept`, which some clients cannot set. */
function wantedFormat(request: FastifyRequest, mediaTypes: readonly MediaType[]): Requested {
  const { format } = request.query as { format?: unknown };
  if (format !== 'json' && format !== 'csv') return FORMATS[acceptedType(request, mediaTypes)];
  if (mediaTypes.some((one) => FORMATS[one] === format)) return format;
  throw new Problem('not_acceptable', `This path returns only ${mediaTypes.join(' and ')}. Omit the format parameter.`);
}

/** Applies the parameter `separator`. The route rejects values other than `comma` and `semicolon`. */
function separated(request: FastifyRequest, format: Requested): Format {
  const { separator } = request.query as { separator?: unknown };
  if (separator === undefined || format === 'csv') return separator === 'semicolon' ? 'semicolon-csv' : format;
  const fix = 'add format=csv, or omit separator';
  throw invalidRequest({ location: 'query.separator', message: 'applies only to CSV', fix });
}

/** Selects the format of each response in a scope, among the formats of its route. Throws `not_acceptable`. */
export function negotiateFormat(app: FastifyInstance): void {
  app.decorateRequest('format', 'json');
  app.addHook('preValidation', (request, _reply, done) => {
    const { csv, streams } = request.routeOptions.config;
    if (streams) acceptedType(request, ['text/event-stream']);
    else if (csv) request.format = separated(request, wantedFormat(request, MEDIA_TYPES));
    else request.format = wantedFormat(request, JSON_ALONE);
    done();
  });
}
