import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Body, bodyOf } from '#server/replies/answer-body';
import { isNamed } from './answer-headers.ts';
import { acceptedCoding, acceptedType } from './negotiation.ts';

type Content = {
  type: string;
  headers?: Readonly<Record<string, string>>;
  text: () => string | Promise<string>;
};

/** `Vary` with one more field: CORS may have set it too. */
export const withVary = (reply: FastifyReply, field: string): string =>
  [reply.getHeader('vary') ?? [], field].flat().join(', ');

/** The same for every client: compressed if accepted, 304 if known. Caches revalidate it by default. */
export async function sendShared(
  request: FastifyRequest,
  reply: FastifyReply,
  body: Body,
  { type, headers }: Omit<Content, 'text'>,
): Promise<FastifyReply> {
  const { coding, payload, etag } = await body.in(acceptedCoding(request.headers['accept-encoding']));
  reply.headers({ 'cache-control': 'no-cache', ...headers, vary: withVary(reply, 'Accept-Encoding'), etag });
  if (isNamed(request.headers['if-none-match'], etag)) return reply.code(304).send();
  reply.header('content-type', type);
  if (coding !== 'identity') reply.header('content-encoding', coding);
  return reply.send(typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload);
}

/** Serves a text that does not change while the process runs, created on the first request. */
export function serveText(app: FastifyInstance, url: string, { text, ...content }: Content): void {
  let body: Body | undefined;
  app.get(url, { schema: { hide: true } }, async (request, reply) => {
    acceptedType(request, [content.type.replace(/;.*/, '')]);
    body ??= bodyOf(await text());
    const headers = { 'x-content-type-options': 'nosniff', ...content.headers };
    return sendShared(request, reply, body, { ...content, headers });
  });
}

/** Forbids caching in a scope (RFC 9111, 5.2.2.5), unless a route sets its own header. */
export function neverStored(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
}

/** No external and no inline content: pages load scripts and styles from files of the service. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Restricts what a page may do, so that a mistake in the service does less harm. */
export const PAGE_SECURITY = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};
