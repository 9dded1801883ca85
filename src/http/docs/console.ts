import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { serveContent } from '#http/replies/static-content';
import type { Coding, Representation } from '#services/caching/bodies';
import { PAGE_SECURITY } from './page-security.ts';

/** The name of an asset changes with its content. The page has a fixed name and is revalidated each time. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
const REVALIDATE = 'no-cache';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

const EXTENSIONS: Readonly<Record<Coding, string>> = { identity: '', br: '.br', gzip: '.gz' };
const CODINGS = Object.keys(EXTENSIONS) as Coding[];

/** The folder into which `npm ci` builds the console. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../../dist/console', import.meta.url));

/** A file in each content coding, each with an `ETag` of its own. */
type File = { type: string; represent: (coding: Coding) => Representation };

async function readRepresentations(path: string): Promise<File> {
  const read = async (coding: Coding): Promise<[Coding, Representation]> => {
    const payload = await readFile(path + EXTENSIONS[coding]);
    const etag = `"${createHash('sha256').update(payload).digest('base64url').slice(0, 22)}"`;
    return [coding, { coding, payload, etag }];
  };
  const representations = Object.fromEntries(await Promise.all(CODINGS.map(read)));
  return {
    type: MEDIA_TYPES[extname(path)] ?? 'application/octet-stream',
    represent: (coding) => representations[coding] as Representation,
  };
}

/** The page and its assets from `scripts/build-console.ts`; undefined if they were not built. */
async function readConsole(folder: string) {
  const assets = join(folder, 'console');
  try {
    const names = (await readdir(assets)).filter((name) => Object.hasOwn(MEDIA_TYPES, extname(name)));
    const read = async (name: string) => [name, await readRepresentations(join(assets, name))] as const;
    return {
      page: await readRepresentations(join(folder, 'index.html')),
      assets: await Promise.all(names.map(read)),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Serves the console from memory: the page at `/` and its assets below `/console/`. If it was not built, a warning is
 * logged, and these paths are 404.
 */
export async function serveConsole(app: FastifyInstance, basePath: string, folder: string): Promise<void> {
  const built = await readConsole(folder);
  if (!built) {
    app.log.warn(`the console is not built, so / is 404: npm run build:console makes it in ${folder}`);
    return;
  }
  const serve = (path: string, file: File, cacheControl: string) =>
    serveContent(app, basePath + path, { ...file, headers: PAGE_SECURITY, cacheControl });
  serve('/', built.page, REVALIDATE);
  for (const [name, file] of built.assets) serve(`/console/${name}`, file, IMMUTABLE);
  // The page loads its assets by relative paths, which need the slash at the end.
  if (basePath)
    app.get(basePath, { schema: { hide: true } }, (_, reply) => reply.redirect(`${basePath}/`, 308));
}
