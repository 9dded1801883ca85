import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type JsonBounds, shapeOfJson } from '#core/json-shape';
import { invalidRequest, Problem } from '#core/problems';
import type { RequestBodies } from '#server/connections/request-body';

/**
 * What JSON is sent under: its own types, none, and what old clients and curl say when nobody tells them otherwise.
 * None of it can be sent by a page of another site unless it has the key, or the route lets such pages in, so no
 * cross-site request is let in by it.
 */
const JSON_TYPES =
  /^(application\/json|[\w.+-]+\/[\w.+-]+\+json|text\/(json|plain)|application\/x-www-form-urlencoded)?$/;

/** What a body may be before it is parsed: a transaction of a thousand messages has some 15,000 values. */
const BOUNDS: JsonBounds = { depth: 64, values: 20_000 };
const PASSED = { depth: 'is nested too deeply', values: 'has too many values' } as const;

const broken = (message: string) =>
  invalidRequest({ location: 'body', message, fix: 'send one JSON object, in UTF-8' });

function parse(text: string): unknown {
  const { excess } = shapeOfJson(text, BOUNDS);
  if (excess) throw broken(PASSED[excess]);
  try {
    return JSON.parse(text);
  } catch {
    throw broken('is not JSON');
  }
}

type Options = {
  /** What a body may have, in bytes. */
  limit: number;
  /** Whose bodies count together: the user's, where a route does not have it otherwise. */
  callerOf?: (request: FastifyRequest) => number | string;
};

/** Has the bodies of a scope read as JSON whatever else is said of them. */
export function readJsonBodies(
  app: FastifyInstance,
  bodies: RequestBodies,
  { limit, callerOf = ({ user }) => user }: Options,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest) => {
    const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    if (!JSON_TYPES.test(type)) {
      throw new Problem('unsupported_media_type', 'Send the body as application/json.');
    }
    const body = await bodies.read(request.raw, callerOf(request), limit);
    return parse(body.toString('utf8'));
  });
}
