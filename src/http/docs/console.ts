import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isKnownTo } from '#http/replies/cache-headers';
import { acceptedCoding } from '#http/replies/negotiation';
import type { Coding } from '#services/caching/bodies';
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

/** A file in each content coding. Each coding has its own `ETag`. */
type File = { mediaType: string; encodings: Record<Coding, { payload: Buffer; etag: string }> };

async function readFileEncodings(path: string): Promise<File> {
  const encodings = await Promise.all(
    CODINGS.map(async (coding) => {
      const payload = await readFile(path + EXTENSIONS[coding]);
      const etag = `"${createHash('sha256').update(payload).digest('base64url').slice(0, 22)}"`;
      return [coding, { payload, etag }];
    }),
  );
  return {
    mediaType: MEDIA_TYPES[extname(path)] ?? 'application/octet-stream',
    encodings: Object.fromEntries(encodings),
  };
}

/** The page and its assets from `scripts/build-console.ts`; undefined if they were not built. */
async function readConsole(folder: string) {
  const assets = join(folder, 'console');
  try {
    const names = (await readdir(assets)).filter((name) => Object.hasOwn(MEDIA_TYPES, extname(name)));
    const files = names.map(async (name) => [name, await readFileEncodings(join(assets, name))] as const);
    return { page: await readFileEncodings(join(folder, 'index.html')), assets: await Promise.all(files) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: File, policy: string): FastifyReply {
  const coding = acceptedCoding(request.headers['accept-encoding']);
  const { payload, etag } = file.encodings[coding];
  // CORS may have set `Vary` too.
  const vary = [reply.getHeader('vary') ?? [], 'Accept-Encoding'].flat().join(', ');
  reply.headers({ ...PAGE_SECURITY, etag, vary, 'cache-control': policy });
  if (isKnownTo(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (coding !== 'identity') reply.header('content-encoding', coding);
  return reply.type(file.mediaType).send(payload);
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
  const schema = { hide: true };
  app.get(`${basePath}/`, { schema }, (request, reply) => sendFile(request, reply, built.page, REVALIDATE));
  for (const [name, file] of built.assets) {
    app.get(`${basePath}/console/${name}`, { schema }, (request, reply) =>
      sendFile(request, reply, file, IMMUTABLE),
    );
  }
  // The page loads its assets by relative paths, which need the slash at the end.
  if (basePath) app.get(basePath, { schema }, (_request, reply) => reply.redirect(`${basePath}/`, 308));
}
