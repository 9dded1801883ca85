import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { z } from 'zod';
import { memberNames } from '#core/names';
import { invalidRequest, Problem } from '#core/problems';
import type { Coding } from '#server/responses/response-body';
import type { Format } from '#server/responses/response-headers';

/** The maximum length of a list. Longer lists are truncated. Browsers send about ten members. */
const MAX_MEMBERS = 64;

/** The qualities by name (RFC 9110, 12.4.2). The library `negotiator` does not return them, and has no bound. */
function qualitiesIn(header: string): Map<string, number> {
  const qualities = new Map<string, number>();
  for (const entry of header.split(',', MAX_MEMBERS)) {
    const [name = '', ...parameters] = entry.split(';', MAX_MEMBERS).map((part) => part.trim().toLowerCase());
    const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
    if (!qualities.has(name)) qualities.set(name, Number.isNaN(quality) ? 0 : quality);
  }
  return qualities;
}

/** The quality of the most specific matching range (RFC 9110, 12.5.1). Old clients send `*` alone. */
function qualityOf(mediaType: string, qualities: ReadonlyMap<string, number>): number {
  const ranges = [mediaType, mediaType.replace(/\/.*/, '/*'), '*/*', '*'];
  return ranges.map((range) => qualities.get(range)).find((quality) => quality !== undefined) ?? 0;
}

const PROBLEM = 'application/problem+json';
const JSON_TYPE = 'application/json';

/** Returns the preferred media type, or the first one for a tie or no `Accept`. Throws `not_acceptable`. */
export function acceptedType<MediaType extends string>(
  { headers: { accept } }: FastifyRequest,
  mediaTypes: readonly MediaType[],
): MediaType {
  if (!accept) return mediaTypes[0] as MediaType;
  const qualities = qualitiesIn(accept);
  let best: MediaType | undefined;
  let most = 0;
  for (const mediaType of mediaTypes) {
    const quality = qualityOf(mediaType, qualities);
    if (quality <= most) continue;
    best = mediaType;
    most = quality;
  }
  if (best !== undefined) return best;
  // If an operation returns no other body, generated clients accept only the media type of problems.
  const json = mediaTypes.find((mediaType) => mediaType === JSON_TYPE);
  if (json !== undefined && !qualities.has(JSON_TYPE) && qualityOf(PROBLEM, qualities) > 0) return json;
  const detail = `This path returns only ${mediaTypes.join(' or ')}. Accept one of these types, or omit the Accept header.`;
  throw new Problem('not_acceptable', detail);
}

/** Whether an `Accept` prefers HTML to a JSON problem, as a browser's does. */
export function prefersHtml(accept = ''): boolean {
  if (!accept.includes('text/html')) return false;
  const qualities = qualitiesIn(accept);
  const html = qualityOf('text/html', qualities);
  return [PROBLEM, JSON_TYPE].every((type) => html > qualityOf(type, qualities));
}

/** The codings in order of preference, which resolves a tie. */
const CODINGS = ['br', 'gzip'] as const;

function chooseCoding(header: string): Coding {
  const qualities = qualitiesIn(header);
  let best: Coding = 'identity';
  let quality = qualities.get('identity') ?? 0;
  for (const coding of CODINGS) {
    const ownQuality = qualities.get(coding) ?? qualities.get('*') ?? 0;
    const isBetter = best === 'identity' ? ownQuality > 0 && ownQuality >= quality : ownQuality > quality;
    if (!isBetter) continue;
    best = coding;
    quality = ownQuality;
  }
  return best;
}

/** The maximum number and length of cached headers. Clients send few distinct headers, with every call. */
const MAX_HEADERS = 256;
const MAX_HEADER_LENGTH = 256;
const codingByHeader = new Map<string, Coding>();

/** The content coding for an `Accept-Encoding` (RFC 9110, 12.5.3). */
export function acceptedCoding(header: string | undefined): Coding {
  if (header === undefined) return 'identity';
  const cached = codingByHeader.get(header);
  if (cached) return cached;
  const coding = chooseCoding(header);
  if (codingByHeader.size < MAX_HEADERS && header.length <= MAX_HEADER_LENGTH) codingByHeader.set(header, coding);
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
const MEDIA_TYPES = memberNames(FORMATS);
const JSON_ALONE: readonly MediaType[] = ['application/json'];

/** The URL takes precedence over `Accept`, which some clients cannot set. */
function wantedFormat(request: FastifyRequest, mediaTypes: readonly MediaType[]): Requested {
  const { format } = request.query as { format?: unknown };
  if (format !== 'json' && format !== 'csv') return FORMATS[acceptedType(request, mediaTypes)];
  if (mediaTypes.some((mediaType) => FORMATS[mediaType] === format)) return format;
  throw new Problem('not_acceptable', `This path returns only ${mediaTypes.join(' and ')}. Omit the format parameter.`);
}

/** Applies the parameter `separator`. The route rejects values other than `comma` and `semicolon`. */
function separated(request: FastifyRequest, format: Requested): Format {
  const { separator } = request.query as { separator?: unknown };
  if (separator === undefined || format === 'csv') return separator === 'semicolon' ? 'semicolon-csv' : format;
  const fix = 'add format=csv, or omit separator';
  throw invalidRequest({ location: 'query.separator', message: 'applies only to CSV', fix });
}

function hasNoBody({ schema }: RouteOptions): boolean {
  const successes = Object.entries((schema?.response ?? {}) as object).filter(([status]) => status.startsWith('2'));
  return successes.length > 0 && successes.every(([, response]) => response instanceof z.ZodUndefined);
}

/** Selects the format of each response in a scope. Throws `not_acceptable`, unless the route returns no body. */
export function negotiateFormat(app: FastifyInstance): void {
  app.decorateRequest('format', 'json');
  app.addHook('onRoute', (route) => {
    if (hasNoBody(route)) route.config = { ...route.config, bodyless: true };
  });
  app.addHook('preValidation', (request, _reply, done) => {
    const { bodyless, csv, streams } = request.routeOptions.config;
    if (bodyless) return done();
    if (streams) acceptedType(request, ['text/event-stream']);
    else if (csv) request.format = separated(request, wantedFormat(request, MEDIA_TYPES));
    else request.format = wantedFormat(request, JSON_ALONE);
    done();
  });
}
