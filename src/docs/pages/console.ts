import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { PAGE_SECURITY, serveText } from '#server/replies/static-content';

/** `npm ci` builds the console there. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../../dist/console', import.meta.url));

type Told = {
  basePath: string;
  /** `open`, `verified` (by mail) or `closed`. */
  registration: string;
  /** Whether a lost key can be recovered by mail. */
  sendsMail: boolean;
};

/** Replaced in the page: the service passes settings as attributes. */
const ROOT_ELEMENT = '<html lang="en">';

const rootElement = ({ registration, sendsMail }: Told) =>
  `<html lang="en" data-registration="${registration}"${sendsMail ? ' data-mail' : ''}>`;

/** Serves `/` and `/console/`. If the console is not built, a warning is logged and they respond with 404. */
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
    // The name of an asset contains a hash of its content.
    maxAge: '365d',
    immutable: true,
    setHeaders: (reply) => reply.headers(PAGE_SECURITY),
  });
  serveText(app, `${basePath}/`, {
    type: 'text/html; charset=utf-8',
    headers: PAGE_SECURITY,
    text: async () => (await readFile(join(folder, 'index.html'), 'utf8')).replace(ROOT_ELEMENT, rootElement(told)),
  });
  // Relative paths of the assets need the trailing slash.
  if (basePath) {
    app.get(basePath, { schema: { hide: true } }, ({ url }, reply) =>
      reply.redirect(`${basePath}/${url.replace(/^[^?]*/, '')}`, 308),
    );
  }
}
