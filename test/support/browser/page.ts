import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser } from './browser.ts';

const HTML =
  '<!doctype html><meta charset="utf-8"><title>A page</title>' +
  '<script type="module">import * as client from \'/index.js\'; globalThis.client = client;</script>';

/**
 * Opens a page from another site in a headless Chromium (`localhost` and `127.0.0.1` are different sites). The client
 * that was built into `folder` is available as `globalThis.client`, and paths below `/moved/` redirect. `errors` lists
 * the page's errors.
 */
export async function openPage(folder: string) {
  const server = createServer(async (request, response) => {
    const { url = '/' } = request;
    if (/^\/\w+\.js$/.test(url)) {
      response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' });
      response.end(await readFile(join(folder, url)));
    } else if (url.startsWith('/moved/')) {
      response.writeHead(307, { location: '/' }).end();
    } else {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end(HTML);
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const browser = await launchBrowser(['--host-resolver-rules=MAP localhost 127.0.0.1']);
  const page: Page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));

  return {
    origin,
    page,
    errors: errors as readonly string[],
    /** Opens the page, and resolves when the client is loaded. */
    async go(): Promise<void> {
      await page.goto(origin);
      await page.waitForFunction('globalThis.client !== undefined');
    },
    async close(): Promise<void> {
      await browser.close();
      await new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      });
    },
  };
}
