import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '#core/problems';
import type { Format } from '#server/replies/answer-headers';
import { acceptedType } from '#server/replies/negotiation';
import { runHook } from '#server/run-hook';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the caller wants an answer in. */
    format: Format;
  }
}

const FORMATS = { 'application/json': 'json', 'text/csv': 'csv' } as const satisfies Record<string, Format>;
type MediaType = keyof typeof FORMATS;
const MEDIA_TYPES = Object.keys(FORMATS) as MediaType[];
const JSON_ALONE: readonly MediaType[] = ['application/json'];

/** What is asked for in the URL goes before `Accept`, which not every client can set. */
function wantedFormat(request: FastifyRequest, mediaTypes: readonly MediaType[]): Format {
  const { format } = request.query as { format?: unknown };
  if (format !== 'json' && format !== 'csv') return FORMATS[acceptedType(request, mediaTypes)];
  if (mediaTypes.some((one) => FORMATS[one] === format)) return format;
  throw new Problem('not_acceptable', `This path gives ${mediaTypes.join(' and ')} alone: leave format out.`);
}

/** Finds what each answer of a scope is wanted in, of what its route gives. Throws `not_acceptable`. */
export function negotiateFormat(app: FastifyInstance): void {
  app.decorateRequest('format', 'json');
  app.addHook('preValidation', (request, _reply, done) =>
    runHook(done, () => {
      request.format = wantedFormat(request, request.routeOptions.config.csv ? MEDIA_TYPES : JSON_ALONE);
    }),
  );
}
