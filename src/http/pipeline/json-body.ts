import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isDeeper } from '../domain/json-depth.ts';
import { invalidRequest, Problem } from '../problems.ts';
import { LIMITS } from './request-limits.ts';

/**
 * What JSON is sent under: its own types, none, and what old clients and curl say when nobody tells them otherwise.
 * None of it can be sent by a page of another site unless it has the key, so no cross-site request is let in by it.
 */
const JSON_TYPES =
  /^(application\/json|[\w.+-]+\/[\w.+-]+\+json|text\/(json|plain)|application\/x-www-form-urlencoded)?$/;

/** How many objects and arrays may be inside one another. */
const DEEPEST = 64;

const broken = (message: string) =>
  invalidRequest({ location: 'body', message, fix: 'send one JSON object, in UTF-8' });

function parse(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw broken('is not JSON');
  }
  if (isDeeper(value, DEEPEST)) throw broken('is nested too deeply');
  return value;
}

/** Has the bodies of a scope read as JSON, whatever else is said of them; other routes read none. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const options = { parseAs: 'string', bodyLimit: LIMITS.body } as const;
  app.addContentTypeParser('*', options, async (request: FastifyRequest, text: string) => {
    const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    if (!JSON_TYPES.test(type)) {
      throw new Problem('unsupported_media_type', 'Send the body as application/json.');
    }
    return parse(text);
  });
}
