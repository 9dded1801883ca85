import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidRequest, Problem } from '../problems.ts';
import { attempt } from './attempt.ts';

/** The most of each that a request may bring, in bytes. */
export const LIMITS = { uri: 8 * 1024, headers: 16 * 1024, body: 1024 * 1024 } as const;

/** Node's own bound on the request line and header fields, in bytes: above ours, so that it is we who answer. */
const NODE_HEADER_LIMIT = 128 * 1024;

/** How Node takes requests: one without a body is over with its head, which was measured as a tenth of a call. */
export const REQUEST_OPTIONS = { maxHeaderSize: NODE_HEADER_LIMIT, optimizeEmptyRequests: true } as const;

const SECRET = 'mnemonic';

/** What is left of the body is not waited for. */
export const bodyTooLarge = () =>
  new Problem('body_too_large', 'The body is over 1 MB: no path takes one so large.', {
    headers: { connection: 'close' },
  });

/** The names of the parameters, whether or not the path could be made out. */
function parameterNames({ query, url }: FastifyRequest): string[] {
  if (query) return Object.keys(query);
  return [...new URLSearchParams(url.slice(url.indexOf('?') + 1)).keys()];
}

function refuseSecrets(request: FastifyRequest): void {
  for (const name of parameterNames(request)) {
    if (name.length === SECRET.length && name.toLowerCase() === SECRET) {
      const detail = 'A seed phrase never belongs in a URL: consider it known to others, and send none here.';
      throw new Problem('secret_in_request', detail);
    }
  }
}

/** What header fields take on the wire, in bytes. */
export function headersSize(rawHeaders: readonly string[]): number {
  let size = 0;
  for (let i = 0; i < rawHeaders.length; i++) size += (rawHeaders[i] as string).length + 2;
  return size;
}

function refuseOversize({ url, raw }: FastifyRequest): void {
  if (url.length > LIMITS.uri) throw new Problem('uri_too_long', `The URI is over ${LIMITS.uri} bytes.`);
  if (headersSize(raw.rawHeaders) > LIMITS.headers) {
    throw new Problem('headers_too_large', `The header fields are over ${LIMITS.headers} bytes.`);
  }
  if (Number(raw.headers['content-length'] ?? 0) > LIMITS.body) {
    throw bodyTooLarge();
  }
}

function refuseBrokenEncoding({ url }: FastifyRequest): void {
  const start = url.indexOf('?');
  if (start < 0 || !url.includes('%', start)) return;
  try {
    decodeURIComponent(url.slice(start));
  } catch {
    const fix = 'encode it in UTF-8, and a per cent sign as %25';
    throw invalidRequest({ location: 'query', message: 'is not valid percent-encoding', fix });
  }
}

/** The checks that come before any other, on whatever path: a secret, a size, an encoding. */
export function checkRequest(request: FastifyRequest): void {
  refuseSecrets(request);
  refuseOversize(request);
  refuseBrokenEncoding(request);
}

/** Fastify leaves the body of these alone, so its length is only known by reading it. */
const BODYLESS = new Set(['GET', 'HEAD', 'TRACE']);

async function readLongBody({ raw }: FastifyRequest): Promise<void> {
  let size = 0;
  for await (const chunk of raw) {
    size += (chunk as Buffer).length;
    if (size > LIMITS.body) throw bodyTooLarge();
  }
}

const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+ *(;|$)/;

/** Whether a request says that it brings a body (RFC 9112, 6.3). */
const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/**
 * Fastify refuses a body whose Content-Type is none; one that is not read may be called anything. And it waits for the
 * end of a body that has a type, which does not come where there is none (`REQUEST_OPTIONS`).
 */
function forgetMediaType({ raw }: FastifyRequest): void {
  const given = raw.headers['content-type'];
  if (given === undefined) return;
  if (!hasBody(raw.headers) || !MEDIA_TYPE.test(given)) delete raw.headers['content-type'];
}

export function limitRequests(app: FastifyInstance): void {
  // Node answers 417 by itself to an Expect that it does not know; it may as well be ignored (RFC 9110, 10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('onRequest', (request, _reply, done) =>
    attempt(done, () => {
      checkRequest(request);
      forgetMediaType(request);
      const { method, raw } = request;
      if (raw.headers['transfer-encoding'] !== undefined && BODYLESS.has(method))
        return readLongBody(request);
    }),
  );
  app.removeAllContentTypeParsers();
  // A body is neither needed nor read, but where `json-body.ts` says so: it is let in up to the limit, and forgotten.
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: LIMITS.body }, async () => undefined);
}
