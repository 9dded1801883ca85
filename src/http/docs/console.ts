import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Coding } from '../services/bodies.ts';
import { acceptedCoding } from './content-coding.ts';
import { isKnownTo } from './freshness.ts';
import { PAGE_SECURITY } from './page-security.ts';

/** A file's name changes when its content does; the page's never does, so it is asked about each time. */
const LASTING = 'public, max-age=31536000, immutable';
const ASKED_ABOUT = 'no-cache';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

const ENDINGS: Readonly<Record<Coding, string>> = { identity: '', br: '.br', gzip: '.gz' };
const CODINGS = Object.keys(ENDINGS) as Coding[];

/** Where `npm ci` builds it. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../dist/console', import.meta.url));

/** A file in each content coding, with its validators: an `ETag` is of the bytes that go out. */
type File = { mediaType: string; forms: Record<Coding, { payload: Buffer; etag: string }> };

async function readForms(path: string): Promise<File> {
  const forms = await Promise.all(
    CODINGS.map(async (coding) => {
      const payload = await readFile(path + ENDINGS[coding]);
      const etag = `"${createHash('sha256').update(payload).digest('base64url').slice(0, 22)}"`;
      return [coding, { payload, etag }];
    }),
  );
  return {
    mediaType: MEDIA_TYPES[extname(path)] ?? 'application/octet-stream',
    forms: Object.fromEntries(forms),
  };
}

/** The page and what it loads, as `scripts/build-console.ts` made them; undefined where that was not done. */
async function readConsole(folder: string) {
  const assets = join(folder, 'console');
  try {
    const names = (await readdir(assets)).filter((name) => Object.hasOwn(MEDIA_TYPES, extname(name)));
    const files = names.map(async (name) => [name, await readForms(join(assets, name))] as const);
    return { page: await readForms(join(folder, 'index.html')), assets: await Promise.all(files) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: File, policy: string): FastifyReply {
  const coding = acceptedCoding(request.headers['accept-encoding']);
  const { payload, etag } = file.forms[coding];
  // What CORS may have said is kept.
  const vary = [reply.getHeader('vary') ?? [], 'Accept-Encoding'].flat().join(', ');
  reply.headers({ ...PAGE_SECURITY, etag, vary, 'cache-control': policy });
  if (isKnownTo(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (coding !== 'identity') reply.header('content-encoding', coding);
  return reply.type(file.mediaType).send(payload);
}

/**
 * The console: the page at `/`, and in `/console/` what it loads, from memory. Where it was not built, that is logged,
 * and its paths are 404 as any that is not known.
 */
export async function serveConsole(app: FastifyInstance, basePath: string, folder: string): Promise<void> {
  const built = await readConsole(folder);
  if (!built) {
    app.log.warn(`the console is not built, so / is 404: npm run build:console makes it in ${folder}`);
    return;
  }
  const schema = { hide: true };
  app.get(`${basePath}/`, { schema }, (request, reply) => sendFile(request, reply, built.page, ASKED_ABOUT));
  for (const [name, file] of built.assets) {
    app.get(`${basePath}/console/${name}`, { schema }, (request, reply) =>
      sendFile(request, reply, file, LASTING),
    );
  }
  // The page refers to what is below it, so it has to be asked for with the slash.
  if (basePath) app.get(basePath, { schema }, (_request, reply) => reply.redirect(`${basePath}/`, 308));
}
