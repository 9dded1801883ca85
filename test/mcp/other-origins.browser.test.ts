import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../support/browser/browser.ts';
import { type Service, startService } from '../support/service/service.ts';

let browser: Browser;
let pages: Server;
/** The origin of another site: `localhost` and `127.0.0.1` are different sites. */
let origin: string;
let strict: Service;
let allowing: Service;
beforeAll(async () => {
  browser = await launchBrowser(['--host-resolver-rules=MAP localhost 127.0.0.1']);
  pages = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end('<!doctype html><title>A page</title>');
  });
  await new Promise<void>((listening) => pages.listen(0, '127.0.0.1', listening));
  origin = `http://localhost:${(pages.address() as AddressInfo).port}`;
  strict = await startService();
  allowing = await startService({ settings: { CORS_ORIGINS: origin } });
});
afterAll(async () => {
  await browser?.close();
  await strict?.close();
  await allowing?.close();
  pages?.close();
});

type Sent = { type: string; mode?: 'cors' | 'no-cors'; withKey?: boolean };

/** Calls a charged tool from a page. Returns the status (0 for an opaque response), or the browser's error. */
async function callFrom(page: string, service: Service, key: string, { type, mode = 'cors', withKey = true }: Sent) {
  const opened = await browser.newPage();
  await opened.goto(page);
  const params = { name: 'get_latest_prices', arguments: { tokenNames: ['btc'] } };
  const outcome = await opened.evaluate(
    async ({ url, body, headers, mode }) => {
      try {
        return (await fetch(url, { method: 'POST', mode, headers, body })).status;
      } catch (error) {
        return (error as Error).name;
      }
    },
    {
      url: `${service.url}/mcp`,
      mode,
      headers: { 'content-type': type, accept: 'application/json', ...(withKey && { 'x-api-key': key }) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    },
  );
  await opened.close();
  return outcome;
}

const usedBy = async (service: Service, key: string) =>
  ((await (await service.get('/v1/user/usage', { key })).json()) as { used: number }).used;

it.each<Sent>([{ type: 'application/json' }, { type: 'text/plain' }, { type: 'text/plain', withKey: false }])(
  'a page from another site cannot call a tool with %j',
  async (sent) => {
    const key = await strict.createUser();
    expect(await callFrom(origin, strict, key, sent)).toBe('TypeError');
    expect(await usedBy(strict, key)).toBe(0);
  },
);

it('a request without a preflight has no key, and is rejected', async () => {
  const key = await strict.createUser();
  const rejected: number[] = [];
  strict.app.server.on('request', (request, response) => {
    if (request.method === 'POST') response.once('finish', () => rejected.push(response.statusCode));
  });
  expect(await callFrom(origin, strict, key, { type: 'text/plain', mode: 'no-cors' })).toBe(0);
  expect(rejected).toEqual([401]);
  expect(await usedBy(strict, key)).toBe(0);
});

it('a page of an allowed origin, and a page of the service, can call a tool', async () => {
  const key = await allowing.createUser();
  expect(await callFrom(origin, allowing, key, { type: 'application/json' })).toBe(200);
  expect(await callFrom(`${allowing.url}/docs`, allowing, key, { type: 'application/json' })).toBe(200);
  expect(await usedBy(allowing, key)).toBe(2);
});
