import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Body, bodyOf, bytesOf } from '#server/responses/response-body';
import { acceptedCoding, acceptedType } from './negotiation.ts';
import { isNamed } from './response-headers.ts';

type Content = {
  type: string;
  headers?: Readonly<Record<string, string>>;
  text: () => string | Promise<string>;
  countedAs?: string;
};

/** Returns `Vary` with one more field, because CORS may have set the header too. */
export const withVary = (reply: FastifyReply, field: string): string =>
  [reply.getHeader('vary') ?? [], field].flat().join(', ');

/** The framework sends text as UTF-8, in one write with the head. */
const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

/** Sends a body that is the same for every client, compressed if accepted, or 304. By default, caches revalidate it. */
export async function sendShared(
  request: FastifyRequest,
  reply: FastifyReply,
  body: Pick<Body, 'in'>,
  { type, headers }: Pick<Content, 'type' | 'headers'>,
): Promise<FastifyReply> {
  const { coding, payload, etag } = await body.in(acceptedCoding(request.headers['accept-encoding']));
  reply.headers({ 'cache-control': 'no-cache', ...headers, vary: withVary(reply, 'Accept-Encoding'), etag });
  if (isNamed(request.headers['if-none-match'], etag)) return reply.code(304).send();
  reply.header('content-type', type);
  if (coding !== 'identity') reply.header('content-encoding', coding);
  return reply.send(typeof payload === 'string' && isAscii(payload) ? payload : bytesOf(payload));
}

export function serveText(app: FastifyInstance, url: string, { text, countedAs, ...content }: Content): void {
  let body: Body | undefined;
  const config = { ...(countedAs && { countedAs }) };
  app.get(url, { schema: { hide: true }, config }, async (request, reply) => {
    acceptedType(request, [content.type.replace(/;.*/, '')]);
    body ??= bodyOf(await text());
    const headers = { 'x-content-type-options': 'nosniff', ...content.headers };
    return sendShared(request, reply, body, { ...content, headers });
  });
}

/** Forbids caching of the responses in a scope (RFC 9111, 5.2.2.5), unless a route sets its own header. */
export function neverStored(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
}

/** Allows no external and no inline content. Pages load scripts and styles from the service's files. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ');

/** Restricts the capabilities of a page, so that a mistake in the service does less harm. */
export const PAGE_SECURITY = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};
