import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { PAGE_SECURITY, serveText } from '#server/responses/static-content';

type BuiltPage = {
  /** The name of the assets' folder, both in `folder` and in URLs. `npm run build:<name>` builds the page. */
  name: string;
  basePath: string;
  folder: string;
  /** Changes the HTML, for example to pass settings as attributes. */
  edit?: (html: string) => string;
};

/** Serves `/` and the assets. If the page is not built, logs a warning and returns false. */
async function serveBuiltPage(
  app: FastifyInstance,
  { name, basePath, folder, edit = (html) => html }: BuiltPage,
): Promise<boolean> {
  if (!existsSync(join(folder, 'index.html'))) {
    app.log.warn(`${name} not built: / responds with 404; run npm run build:${name} to build it in ${folder}`);
    return false;
  }
  await app.register(fastifyStatic, {
    root: join(folder, name),
    prefix: `${basePath}/${name}/`,
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
    text: async () => edit(await readFile(join(folder, 'index.html'), 'utf8')),
  });
  return true;
}

export const CONSOLE_FOLDER = fileURLToPath(new URL('../../dist/console', import.meta.url));

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
  const isServed = await serveBuiltPage(app, {
    name: 'console',
    basePath,
    folder,
    edit: (html) => html.replace(ROOT_ELEMENT, rootElement(settings)),
  });
  // The assets' relative paths need the trailing slash.
  if (isServed && basePath) {
    app.get(basePath, { schema: { hide: true } }, ({ url }, reply) =>
      reply.redirect(`${basePath}/${url.replace(/^[^?]*/, '')}`, 308),
    );
  }
}

export const OPERATOR_PAGE_FOLDER = fileURLToPath(new URL('../../dist/operator', import.meta.url));

/** Serves `/` and `/operator/` of the operator's listener. The page contains no data, so it needs no token. */
export const serveOperatorPage = async (app: FastifyInstance, folder: string): Promise<void> =>
  void (await serveBuiltPage(app, { name: 'operator', basePath: '', folder }));
