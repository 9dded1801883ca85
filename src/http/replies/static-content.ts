import type { FastifyInstance } from 'fastify';
import { type Body, bodyOf } from '#services/caching/bodies';
import { isKnownTo } from './cache-headers.ts';
import { acceptedCoding } from './negotiation.ts';

type ServedText = {
  /** Its media type. */
  type: string;
  /** Gives the text, when it is asked for first. */
  text: () => string | Promise<string>;
  headers?: Readonly<Record<string, string>>;
};

/**
 * Serves a text that stays the same as long as the process runs, to everybody: compressed where that is wanted, and
 * 304 to whoever has it. A cache asks again each time, since the next process may be of another version.
 */
export function serveText(app: FastifyInstance, url: string, { type, text, headers = {} }: ServedText): void {
  let body: Body | undefined;
  app.get(url, { schema: { hide: true } }, async (request, reply) => {
    body ??= bodyOf(await text());
    const { coding, payload, etag } = await body.in(acceptedCoding(request.headers['accept-encoding']));
    // What CORS varies by stands there already.
    const vary = [reply.getHeader('vary') ?? [], 'Accept-Encoding'].flat().join(', ');
    reply.headers({ ...headers, 'cache-control': 'no-cache', vary, etag });
    if (isKnownTo(request.headers['if-none-match'], etag)) return reply.code(304).send();
    reply.headers({ 'x-content-type-options': 'nosniff', 'content-type': type });
    if (coding !== 'identity') reply.header('content-encoding', coding);
    return reply.send(typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload);
  });
}
