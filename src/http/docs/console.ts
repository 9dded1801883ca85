import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { PAGE_SECURITY } from './page-security.ts';

/** The folder into which `npm ci` builds the console. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../../dist/console', import.meta.url));

/**
 * Serves the console: the page at `/` and its assets below `/console/`. If it was not built, a warning is logged, and
 * these paths are 404.
 */
export async function serveConsole(app: FastifyInstance, basePath: string, folder: string): Promise<void> {
  if (!existsSync(join(folder, 'index.html'))) {
    app.log.warn(`the console is not built, so / is 404: npm run build:console makes it in ${folder}`);
    return;
  }
  await app.register(fastifyStatic, {
    root: join(folder, 'console'),
    prefix: `${basePath}/console/`,
    wildcard: false,
    index: false,
    globIgnore: ['**/*.{br,gz}'],
    preCompressed: true,
    acceptRanges: false,
    lastModified: false,
    // The name of an asset changes with its content.
    maxAge: '365d',
    immutable: true,
    setHeaders: (reply) => reply.headers(PAGE_SECURITY),
  });
  const schema = { hide: true };
  app.get(`${basePath}/`, { schema }, (_request, reply) =>
    reply.header('cache-control', 'no-cache').sendFile('index.html', folder, { cacheControl: false }),
  );
  // The page loads its assets by relative paths, which need the slash at the end.
  if (basePath) app.get(basePath, { schema }, (_request, reply) => reply.redirect(`${basePath}/`, 308));
}
