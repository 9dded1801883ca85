import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { serveBuiltPage } from './built-page.ts';

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
