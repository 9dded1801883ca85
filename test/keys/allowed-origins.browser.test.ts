import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../support/browser/browser.ts';
import { PRICED } from '../support/service/hammer.ts';
import { type Service, startService } from '../support/service/service.ts';

/* A restricted key in the pages of a real browser, which decides when it sends `Origin`. */

let browser: Browser;
let pages: Server;
let service: Service;
let owner: string;
/** The pages' port serves two origins. */
let [shop, other]: string[] = [];
beforeAll(async () => {
  browser = await launchBrowser(['--host-resolver-rules=MAP *.localhost 127.0.0.1']);
  pages = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end('<!doctype html><title>A page</title>');
  });
  await new Promise<void>((listening) => pages.listen(0, '127.0.0.1', listening));
  const { port } = pages.address() as AddressInfo;
  [shop, other] = [`http://shop.localhost:${port}`, `http://other.localhost:${port}`];
  service = await startService({ settings: { CORS_ORIGINS: `${shop},${other}` } });
  owner = await service.createUser();
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
  pages?.close();
});

async function keyFor(allowedOrigins: string): Promise<string> {
  const query = new URLSearchParams({ label: 'page', allowedOrigins });
  const headers = { 'x-api-key': owner };
  const response = await fetch(`${service.url}/v1/user/keys?${query}`, { method: 'POST', headers });
  return ((await response.json()) as { apiKey: string }).apiKey;
}

/** Reads a price and, with a ticket, the first event of a stream. Returns the prices, or the codes of the problems. */
async function readOn(page: string, apiKey: string) {
  const opened = await browser.newPage();
  await opened.goto(page);
  const read = await opened.evaluate(
    async ({ url, path, headers }) => {
      const price = await (await fetch(url + path, { headers })).json();
      const issued = await (await fetch(`${url}/v1/prices/stream/tickets`, { method: 'POST', headers })).json();
      if (!issued.ticket) return [price.code ?? typeof price.current_price, issued.code];
      const stream = new EventSource(`${url}/v1/prices/stream?tokenNames=btc&ticket=${issued.ticket}`);
      const event = await new Promise((resolve) => {
        stream.addEventListener('price', () => resolve('price'));
        stream.addEventListener('error', () => resolve('error'));
      });
      stream.close();
      return [price.code ?? typeof price.current_price, event];
    },
    { url: service.url, path: PRICED, headers: { 'x-api-key': apiKey } },
  );
  await opened.close();
  return read;
}

it('works on a page from an allowed origin; a page from another origin can read why it is rejected', async () => {
  const apiKey = await keyFor(String(shop));
  // The second time, the service responds on its fast path.
  for (let n = 0; n < 2; n++) {
    expect(await readOn(String(shop), apiKey)).toEqual(['number', 'price']);
    expect(await readOn(String(other), apiKey)).toEqual(['origin_not_allowed', 'origin_not_allowed']);
  }
});

it("works on a page from the service's own origin, for which browsers send no Origin with a GET", async () => {
  const apiKey = await keyFor(service.url);
  expect(await readOn(`${service.url}/health/live`, apiKey)).toEqual(['number', 'price']);
  expect(await readOn(`${service.url}/health/live`, await keyFor(String(shop)))).toEqual([
    'origin_not_allowed',
    'origin_not_allowed',
  ]);
});
