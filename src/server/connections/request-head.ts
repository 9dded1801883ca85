import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { maskApiKeys } from '#core/log';
import { invalidRequest, Problem } from '#core/problems';
import { urlKeyHeaders } from '../url-key.ts';
import { bodyTooLarge, MAX_DISCARDED } from './body-problems.ts';
import type { RequestBodies } from './request-body.ts';
import { discardBody } from './unread-body.ts';

/** The parts of a request that are known when its head has arrived. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders' | 'socket'>;

const ID_FORM = /^[A-Za-z0-9._-]{1,128}$/;
const run = randomUUID().slice(0, 18);
let count = 0;

/** Returns the client's own ID if it is safe to repeat. Otherwise, returns a new ID. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const id = headers['x-request-id'];
  if (typeof id === 'string' && ID_FORM.test(id) && maskApiKeys(id) === id) return id;
  count += 1;
  return `${run}-${count.toString(36)}`;
}

export const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** The maximum lengths of the URI and of all headers, in bytes. */
export const LIMITS = { uri: 8 * 1024, headers: 16 * 1024 } as const;
const SECRET = 'mnemonic';

function parameterNames({ query, url }: FastifyRequest): string[] {
  if (query) return Object.keys(query);
  return [...new URLSearchParams(url.slice(url.indexOf('?') + 1)).keys()];
}

/** Throws `secret_in_request` if a parameter has the name of a seed phrase. */
export function assertNoSecretNames(names: readonly string[]): void {
  for (const name of names) {
    if (name.length === SECRET.length && name.toLowerCase() === SECRET) {
      const detail =
        'The URL contains a `mnemonic` parameter. Never put a seed phrase in a URL or send it to this service. Treat the seed phrase as compromised.';
      throw new Problem('secret_in_request', detail);
    }
  }
}

export function headersSize(rawHeaders: readonly string[]): number {
  let size = 0;
  for (let i = 0; i < rawHeaders.length; i++) size += (rawHeaders[i] as string).length + 2;
  return size;
}

function assertSizes({ url, raw }: FastifyRequest): void {
  if (url.length > LIMITS.uri) throw new Problem('uri_too_long', `The URI is longer than ${LIMITS.uri} bytes.`);
  if (headersSize(raw.rawHeaders) > LIMITS.headers) {
    throw new Problem('headers_too_large', `The header fields are longer than ${LIMITS.headers} bytes in total.`);
  }
  if (Number(raw.headers['content-length'] ?? 0) > MAX_DISCARDED) throw bodyTooLarge();
}

/** Counts the fields with a name, which must be in lower case. */
export function fieldsIn(rawHeaders: readonly string[], name: string): number {
  let fields = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const field = rawHeaders[i] as string;
    if (field.length === name.length && field.toLowerCase() === name) fields += 1;
  }
  return fields;
}

/** Throws unless a request has exactly one `Host`. HTTP/1.0 may omit it (RFC 9112, 3.2). */
function assertOneHost({ raw: { rawHeaders, httpVersion } }: FastifyRequest): void {
  const hosts = fieldsIn(rawHeaders, 'host');
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return;
  const message = hosts === 0 ? 'is missing' : 'was sent more than once';
  const fault = { location: 'header.host', message, fix: 'send one Host header with the host of the URL' };
  throw new Problem('invalid_request', `header.host ${message}: ${fault.fix}.`, {
    headers: { connection: 'close' },
    members: { errors: [fault] },
  });
}

function assertEncoding({ url }: FastifyRequest): void {
  const start = url.indexOf('?');
  if (start < 0 || !url.includes('%', start)) return;
  try {
    decodeURIComponent(url.slice(start));
  } catch {
    const fix = 'encode the query in UTF-8, and encode percent signs as %25';
    throw invalidRequest({ location: 'query', message: 'has invalid percent-encoding', fix });
  }
}

export function checkRequest(request: FastifyRequest): void {
  assertNoSecretNames(parameterNames(request));
  assertOneHost(request);
  assertSizes(request);
  assertEncoding(request);
}

const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+ *(;|$)/;

/** Fastify rejects a malformed `Content-Type`. With a valid one, Fastify waits for a body, which may not exist. */
function forgetMediaType({ raw }: FastifyRequest): void {
  const contentType = raw.headers['content-type'];
  if (contentType === undefined) return;
  if (!hasBody(raw) || !MEDIA_TYPE.test(contentType)) delete raw.headers['content-type'];
}

const BODYLESS = new Set(['GET', 'HEAD', 'TRACE']);

/** Checks every request, sets its ID on its response, and discards bodies that `json-body.ts` does not read. */
export function checkRequests(app: FastifyInstance, bodies: RequestBodies): void {
  app.addHook('onRequest', (request, _reply, done) => {
    checkRequest(request);
    forgetMediaType(request);
    done();
  });
  // Rejections of unknown paths, and rejections by hooks that identify the caller, do not wait for a body.
  app.addHook('preParsing', (request, _reply, _payload, done) =>
    !request.is404 && BODYLESS.has(request.method) && hasBody(request.raw) ? discardBody(bodies, request) : done(),
  );
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest) =>
    request.is404 ? undefined : discardBody(bodies, request),
  );
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.header('x-request-id', request.id).headers(urlKeyHeaders(request.raw, reply.getHeader('cache-control')));
    done(null, payload);
  });
}
