import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { problemPage } from './problem-page.ts';

/** Nothing from outside: a browser refuses what a mistake would let in. Swagger UI styles its elements in place. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "style-src 'self' 'unsafe-inline'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const ATTRIBUTION = '<footer style="padding:1em;text-align:center">Data provided by CoinGecko</footer>';

/** The pages below `/docs`: the interface description to be read and tried, and what to do about each problem. */
export async function serveDocs(app: FastifyInstance, basePath: string): Promise<void> {
  await app.register(async (docs) => {
    docs.addHook('onSend', async (_request, reply, payload) => {
      reply.header('content-security-policy', CONTENT_SECURITY_POLICY);
      reply.header('x-content-type-options', 'nosniff');
      const isPage = typeof payload === 'string' && String(reply.getHeader('content-type')).includes('html');
      return isPage ? payload.replace('</body>', `${ATTRIBUTION}</body>`) : payload;
    });

    const page = problemPage(basePath);
    docs.get(`${basePath}/docs/problems`, { schema: { hide: true } }, async (_request, reply) =>
      reply.type('text/html; charset=utf-8').send(page),
    );

    await docs.register(swaggerUi, {
      routePrefix: `${basePath}/docs`,
      theme: { title: 'Quotient' },
      uiConfig: { layout: 'BaseLayout', validatorUrl: null, docExpansion: 'list', deepLinking: true },
    });
  });
}
