import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type JsonBounds, scanJson } from '#core/forms/json-shape';
import { invalidRequest, Problem } from '#core/problems';
import type { RequestBodies } from '#server/connections/request-body';
import { discardBody, mediaTypeOf, sendsJson } from './connections/unread-body.ts';

/** The media type of JSON, and the default types of old clients and curl. */
const JSON_TYPES =
  /^(application\/json|[\w.+-]+\/[\w.+-]+\+json|text\/(json|plain)|application\/x-www-form-urlencoded)?$/;

/** The bounds, checked before parsing. A transaction with a thousand messages has about 15,000 values. */
const BOUNDS: JsonBounds = { depth: 64, values: 20_000 };
const PASSED = { depth: 'is nested too deeply', values: 'has too many values' } as const;

const broken = (message: string) =>
  invalidRequest({ location: 'body', message, fix: 'send one JSON object, in UTF-8' });

/** Accepts a byte order mark (RFC 8259, 8.1). Rejects ISO 8859-1, as sent by Windows PowerShell: letters would be lost. */
function textOf(body: Buffer): string {
  if (!isUtf8(body)) throw broken('must be in UTF-8');
  return body.toString('utf8').replace(/^\ufeff/, '');
}

/** Parses JSON text within the bounds of a request body. Throws `invalid_request`. */
export function parseJson(text: string): unknown {
  const { excess } = scanJson(text, BOUNDS);
  if (excess) throw broken(PASSED[excess]);
  try {
    return JSON.parse(text);
  } catch {
    throw broken('must be valid JSON');
  }
}

type Options = {
  limit: number;
  /** Identifies the client whose bodies count together. The default is the user. */
  callerOf?: (request: FastifyRequest) => number | string;
  /** The maximum number of a client's concurrent bodies. It is set for bodies that are smaller than usual. */
  atOnce?: number;
};

export function readJsonBodies(
  app: FastifyInstance,
  bodies: RequestBodies,
  { limit, callerOf = ({ user }) => user, atOnce }: Options,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest) => {
    if (request.routeOptions.schema?.body === undefined) return discardBody(bodies, request);
    if (!JSON_TYPES.test(mediaTypeOf(request)))
      throw new Problem('unsupported_media_type', 'Send the body as application/json.');
    return parseJson(textOf(await bodies.read(request.raw, callerOf(request), limit, atOnce)));
  });
}

/** Reads the JSON object of a route that also accepts its parameters in the query. Discards other bodies. */
export function readOptionalJson(app: FastifyInstance, bodies: RequestBodies, { limit }: Pick<Options, 'limit'>): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest) => {
    if (!sendsJson(request)) return discardBody(bodies, request);
    const text = textOf(await bodies.read(request.raw, request.user, limit));
    return text.trim() === '' ? undefined : parseJson(text);
  });
}
