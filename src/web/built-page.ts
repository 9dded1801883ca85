import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
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
export async function serveBuiltPage(
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
