import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { acceptedType } from '#server/responses/negotiation';
import type { Representation } from '#server/responses/response-body';
import { sendShared } from '#server/responses/static-content';

export const CLIENT_FILE = fileURLToPath(new URL('../../dist/client.tgz', import.meta.url));

/** The types that programs request for an archive of npm. */
const TYPES = ['application/gzip', 'application/octet-stream'] as const;
/** For a day. The URL stays the same for all releases, so the file at the URL changes with an upgrade of the service. */
const HEADERS = { 'cache-control': 'public, max-age=86400', 'x-content-type-options': 'nosniff' };

async function readArchive(file: string): Promise<Representation> {
  const payload = await readFile(file);
  const hash = createHash('sha256').update(payload).digest('base64url').slice(0, 22);
  return { coding: 'identity', payload, etag: `"${hash}"` };
}

/** Serves the packed client at `/client.tgz`, which npm installs. If it is not built, logs a warning. */
export function serveClientPackage(app: FastifyInstance, basePath: string, file: string): void {
  if (!existsSync(file)) {
    app.log.warn(`client not built: /client.tgz responds with 404; run npm run build:client to build it in ${file}`);
    return;
  }
  let archive: Promise<Representation> | undefined;
  app.get(`${basePath}/client.tgz`, { schema: { hide: true } }, async (request, reply) => {
    const type = acceptedType(request, TYPES);
    archive ??= readArchive(file);
    const body = await archive;
    return sendShared(request, reply, { in: () => body }, { type, headers: HEADERS });
  });
}
