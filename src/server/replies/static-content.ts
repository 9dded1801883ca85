import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Body, bodyOf } from '#server/cache/answer-body';
import { isNamed } from './answer-headers.ts';
import { acceptedCoding, acceptedType } from './negotiation.ts';

type Content = {
  /** Its media type. */
  type: string;
  headers?: Readonly<Record<string, string>>;
  text: () => string | Promise<string>;
};

/**
 * Sends a body that is the same for everybody: compressed where that is accepted, 304 to who has it. Caches revalidate it
 * unless its headers say otherwise.
 */
export async function sendShared(
  request: FastifyRequest,
  reply: FastifyReply,
  body: Body,
  { type, headers }: Omit<Content, 'text'>,
): Promise<FastifyReply> {
  const { coding, payload, etag } = await body.in(acceptedCoding(request.headers['accept-encoding']));
  // CORS may have set `Vary` too.
  const vary = [reply.getHeader('vary') ?? [], 'Accept-Encoding'].flat().join(', ');
  reply.headers({ 'cache-control': 'no-cache', ...headers, vary, etag });
  if (isNamed(request.headers['if-none-match'], etag)) return reply.code(304).send();
  reply.header('content-type', type);
  if (coding !== 'identity') reply.header('content-encoding', coding);
  return reply.send(typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload);
}

/**
 * Serves a text that is the same for everybody as long as the process runs, made when it is first asked for. The
 * next process may differ.
 */
export function serveText(app: FastifyInstance, url: string, { text, ...content }: Content): void {
  let body: Body | undefined;
  app.get(url, { schema: { hide: true } }, async (request, reply) => {
    acceptedType(request, [content.type.replace(/;.*/, '')]);
    body ??= bodyOf(await text());
    const headers = { 'x-content-type-options': 'nosniff', ...content.headers };
    return sendShared(request, reply, body, { ...content, headers });
  });
}
