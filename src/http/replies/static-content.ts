import type { FastifyInstance } from 'fastify';
import { type Body, bodyOf, type Coding, type Representation } from '#services/caching/bodies';
import { isKnownTo } from './cache-headers.ts';
import { acceptedCoding } from './negotiation.ts';

type Described = {
  /** Its media type. */
  type: string;
  headers?: Readonly<Record<string, string>>;
};
type Content = Described & {
  represent: (coding: Coding) => Representation | Promise<Representation>;
  cacheControl: string;
};

/** Serves what is the same for everybody as long as the process runs: compressed where that is accepted, 304 to who has it. */
export function serveContent(
  app: FastifyInstance,
  url: string,
  { type, represent, headers, cacheControl }: Content,
): void {
  app.get(url, { schema: { hide: true } }, async (request, reply) => {
    const { coding, payload, etag } = await represent(acceptedCoding(request.headers['accept-encoding']));
    // CORS may have set `Vary` too.
    const vary = [reply.getHeader('vary') ?? [], 'Accept-Encoding'].flat().join(', ');
    reply.headers({ ...headers, 'cache-control': cacheControl, vary, etag });
    if (isKnownTo(request.headers['if-none-match'], etag)) return reply.code(304).send();
    reply.headers({ 'x-content-type-options': 'nosniff', 'content-type': type });
    if (coding !== 'identity') reply.header('content-encoding', coding);
    return reply.send(typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload);
  });
}

/** Serves a text that is made when it is first asked for. Caches revalidate it, since the next process may differ. */
export function serveText(
  app: FastifyInstance,
  url: string,
  { text, ...described }: Described & { text: () => string | Promise<string> },
): void {
  let body: Body | undefined;
  const represent = async (coding: Coding) => {
    body ??= bodyOf(await text());
    return body.in(coding);
  };
  serveContent(app, url, { ...described, represent, cacheControl: 'no-cache' });
}
