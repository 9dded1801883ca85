import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type JsonBounds, scanJson } from '#core/json-shape';
import { invalidRequest, Problem } from '#core/problems';
import type { RequestBodies } from '#server/connections/request-body';

/** JSON, and the defaults of old clients and curl. The key or route, not the type, excludes foreign pages. */
const JSON_TYPES =
  /^(application\/json|[\w.+-]+\/[\w.+-]+\+json|text\/(json|plain)|application\/x-www-form-urlencoded)?$/;

/** The bounds, checked before parsing. A transaction with a thousand messages has about 15,000 values. */
const BOUNDS: JsonBounds = { depth: 64, values: 20_000 };
const PASSED = { depth: 'is nested too deeply', values: 'has too many values' } as const;

const broken = (message: string) =>
  invalidRequest({ location: 'body', message, fix: 'send one JSON object, in UTF-8' });

function parse(text: string): unknown {
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
  /** The maximum number of a client's concurrent bodies, if they are smaller than usual. */
  atOnce?: number;
};

export function readJsonBodies(
  app: FastifyInstance,
  bodies: RequestBodies,
  { limit, callerOf = ({ user }) => user, atOnce }: Options,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest) => {
    const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    if (!JSON_TYPES.test(type)) throw new Problem('unsupported_media_type', 'Send the body as application/json.');
    return parse((await bodies.read(request.raw, callerOf(request), limit, atOnce)).toString('utf8'));
  });
}
