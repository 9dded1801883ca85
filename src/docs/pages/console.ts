import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { PAGE_SECURITY, serveText } from '#server/replies/static-content';

/** The folder into which `npm ci` builds the console. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../../dist/console', import.meta.url));

/** What the page has to know of the service before its first call. */
type Told = {
  basePath: string;
  /** Who may register: `open`, `verified` (by mail) or `closed`. */
  registration: string;
  /** Whether the service sends mail, so that a lost key can be recovered. */
  sendsMail: boolean;
};

/** As the page is written; what the service tells it comes as attributes of this element. */
const ROOT_ELEMENT = '<html lang="en">';

const rootElement = ({ registration, sendsMail }: Told) =>
  `<html lang="en" data-registration="${registration}"${sendsMail ? ' data-mail' : ''}>`;

/**
 * Serves the console: the page at `/` and its assets below `/console/`. If it was not built, a warning is logged, and
 * these paths are 404.
 */
export async function serveConsole(app: FastifyInstance, told: Told, folder: string): Promise<void> {
  const { basePath } = told;
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
  serveText(app, `${basePath}/`, {
    type: 'text/html; charset=utf-8',
    headers: PAGE_SECURITY,
    text: async () => (await readFile(join(folder, 'index.html'), 'utf8')).replace(ROOT_ELEMENT, rootElement(told)),
  });
  // The page loads its assets by relative paths, which need the slash at the end.
  if (basePath) {
    app.get(basePath, { schema: { hide: true } }, ({ url }, reply) =>
      reply.redirect(`${basePath}/${url.replace(/^[^?]*/, '')}`, 308),
    );
  }
}
