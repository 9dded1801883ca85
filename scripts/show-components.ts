import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { buildPage, ROOT } from './build-page.ts';

// Serves a page with all shared components, for development: `npm run components`. The service does not serve it.

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Builds and serves the page on a port of the loopback address; 0 is a free port. */
export async function serveComponents(port: number) {
  const folder = await mkdtemp(join(tmpdir(), 'quotient-components-'));
  await buildPage(folder, { source: join(ROOT, 'packages/pages/gallery'), assets: 'components', parts: [], fill: {} });
  const server = createServer(async (request, response) => {
    const path = request.url === '/' ? '/index.html' : new URL(`http://localhost${request.url}`).pathname;
    const content = await readFile(join(folder, path)).catch(() => undefined);
    response.writeHead(content ? 200 : 404, { 'content-type': TYPES[extname(path)] ?? 'text/plain' }).end(content);
  });
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise<void>((closed) => server.close(() => closed()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

if (import.meta.main) console.log(`The components are at ${(await serveComponents(8082)).url}`);
