import type { FastifyRequest } from 'fastify';
import { invalidRequest } from '#core/problems';
import { misspeltIn } from '#server/parameter-names';
import type { RequestBodies } from './request-body.ts';

const JSON_TYPE = /^(application|text)\/json$|\+json$/;
/** JSON of up to this many bytes is parsed. Only this many bytes of a form are read. */
const SHORT = 4 * 1024;

/** The media type in lower case, without parameters. Empty if the request has no media type. */
export const mediaTypeOf = ({ headers }: Pick<FastifyRequest, 'headers'>): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

export const sendsJson = (request: Pick<FastifyRequest, 'headers'>): boolean => JSON_TYPE.test(mediaTypeOf(request));

/** Whether a text is a JSON object or array with content. Many clients send `{}` or `null` with every request. */
function hasContent(text: string, isWhole: boolean): boolean {
  if (!isWhole) return /^\s*[[{]/.test(text);
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  } catch {
    return false;
  }
}

/** The names in a form of either type, or in a JSON object that was sent with the media type of a form or of text. */
function namesIn(text: string): string[] {
  if (text.startsWith('--')) return [...text.matchAll(/;\s*name="?([^";\r\n]*)/gi)].map(([, name = '']) => name);
  if (!text.startsWith('{')) return [...new URLSearchParams(text).keys()];
  try {
    return Object.keys(JSON.parse(text));
  } catch {
    return [];
  }
}

const parametersOf = ({ routeOptions: { schema } }: FastifyRequest): string[] =>
  Object.keys((schema?.querystring as { shape?: object } | undefined)?.shape ?? {});

/** Whether a text contains a parameter of the path, or a name that is rejected in the query. */
function hasParameter(text: string, parameters: readonly string[]): boolean {
  const names = namesIn(text.trim());
  return names.some((name) => parameters.includes(name)) || misspeltIn('query', names, parameters).length > 0;
}

function notRead(parameters: readonly string[]) {
  const fix = parameters.length > 0 ? `send the parameters in the query: ${parameters.join(', ')}` : 'send no body';
  return invalidRequest({ location: 'body', message: 'must be empty', fix });
}

/**
 * Discards the body of a request to a path that reads no body. Throws for JSON with content, and for a parameter of the
 * path: the client would believe that it was read.
 */
export async function discardBody(bodies: RequestBodies, request: FastifyRequest): Promise<void> {
  const parameters = parametersOf(request);
  const isJson = sendsJson(request);
  if (!isJson && parameters.length === 0) return bodies.discard(request.raw);
  const start: Buffer[] = [];
  let size = 0;
  await bodies.discard(request.raw, (piece) => {
    // The part is copied, because it would otherwise keep the whole piece in memory.
    if (size < SHORT) start.push(Buffer.from(piece.subarray(0, SHORT - size)));
    size += piece.length;
  });
  const text = Buffer.concat(start).toString();
  if ((isJson && hasContent(text, size <= SHORT)) || hasParameter(text, parameters)) throw notRead(parameters);
}
