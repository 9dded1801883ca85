import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { PAGE_SECURITY, serveText } from '#server/replies/static-content';

export const CONSOLE_FOLDER = fileURLToPath(new URL('../../../dist/console', import.meta.url));

type ConsoleSettings = {
  basePath: string;
  /** `open`, `verified` (by email) or `closed`. */
  registration: string;
  /** Whether a lost key can be recovered by email. */
  sendsMail: boolean;
};

/** The tag that receives settings as attributes. */
const ROOT_ELEMENT = '<html lang="en">';

const rootElement = ({ registration, sendsMail }: ConsoleSettings) =>
  `<html lang="en" data-registration="${registration}"${sendsMail ? ' data-mail' : ''}>`;

/** Serves `/` and `/console/`. If the console is not built, logs a warning, and both paths respond with 404. */
export async function serveConsole(app: FastifyInstance, settings: ConsoleSettings, folder: string): Promise<void> {
  const { basePath } = settings;
  if (!existsSync(join(folder, 'index.html'))) {
    app.log.warn(
      `console not built: run \`npm run build:console\` to build it in ${folder}; until then, / responds with 404`,
    );
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
    // An asset's name contains a hash of its content.
    maxAge: '365d',
    immutable: true,
    setHeaders: (reply) => reply.headers(PAGE_SECURITY),
  });
  serveText(app, `${basePath}/`, {
    type: 'text/html; charset=utf-8',
    headers: PAGE_SECURITY,
    text: async () => (await readFile(join(folder, 'index.html'), 'utf8')).replace(ROOT_ELEMENT, rootElement(settings)),
  });
  // The assets' relative paths need the trailing slash.
  if (basePath) {
    app.get(basePath, { schema: { hide: true } }, ({ url }, reply) =>
      reply.redirect(`${basePath}/${url.replace(/^[^?]*/, '')}`, 308),
    );
  }
}
