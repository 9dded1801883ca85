import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildConsole } from '../../scripts/build-console.ts';
import { type Service, startService } from '../support/service/service.ts';
import { exchange } from '../support/service/socket.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quotient-console-'));
  await buildConsole(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each([
  ['without a base path', ''],
  ['under a base path', '/market'],
])('the console %s', (_where, basePath) => {
  let service: Service;
  let origin: string;
  let assets: string[];

  beforeAll(async () => {
    service = await startService({ settings: { BASE_PATH: basePath }, consoleFolder: folder });
    origin = new URL(service.url).origin;
    const names = await readdir(join(folder, 'console'));
    assets = names.filter((name) => !/\.(br|gz)$/.test(name)).map((name) => `/console/${name}`);
  });
  afterAll(() => service?.close());

  /** Sends a request and returns the response, uncompressed unless the headers specify a coding. */
  async function send(path: string, { method = 'GET', ...headers }: Record<string, string> = {}) {
    const init = { method, headers: { 'accept-encoding': 'identity', ...headers } };
    const response = await fetch(service.url + path, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  it('is a page that loads only existing assets', async () => {
    const page = await send('/');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = page.text;
    expect(html).toContain('Powered by');
    const loaded = [...html.matchAll(/<(?:script|link|img)\b[^>]*?\b(?:src|href)="([^"]+)"/g)];
    expect(loaded).toHaveLength(4);
    for (const [, target] of loaded) {
      const url = new URL(String(target), `${service.url}/`);
      expect(url.href.startsWith(`${service.url}/console/`)).toBe(true);
      expect((await send(url.href.slice(service.url.length))).status).toBe(200);
    }
    // The policy would reject inline scripts and styles.
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\bsrc=)/);
  });

  it('sets a strict policy on the page and on all assets', async () => {
    for (const path of ['/', ...assets]) {
      const { headers } = await send(path);
      expect(headers.get('content-security-policy'), path).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(headers.get('referrer-policy'), path).toBe('no-referrer');
      expect(headers.get('vary'), path).toMatch(/^accept-encoding$/i);
      expect(headers.get('x-request-id'), path).toBeTruthy();
    }
  });

  it('assets with a content hash are immutable, and the page is revalidated', async () => {
    expect((await send('/')).headers.get('cache-control')).toBe('no-cache');
    for (const path of assets) {
      expect(path).toMatch(/-[\w-]{8,10}\.(js|css|svg)$/);
      expect((await send(path)).headers.get('cache-control'), path).toBe('public, max-age=31536000, immutable');
    }
  });

  it('is served in the requested content coding, each with its own ETag', async () => {
    for (const path of ['/', ...assets]) {
      const { pathname } = new URL(service.url + path);
      const responses = await Promise.all(
        ['identity', 'gzip', 'br'].map((coding) =>
          exchange(
            origin,
            `GET ${pathname} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${coding}\r\nConnection: close\r\n\r\n`,
          ),
        ),
      );
      expect(responses.map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'gzip', 'br']);
      expect(new Set(responses.map(({ headers }) => headers.etag)).size, path).toBe(3);
    }
    const whole = Buffer.from((await send('/')).text);
    for (const [coding, open] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const response = await service.app.inject({
        url: `${basePath}/`,
        headers: { 'accept-encoding': coding },
      });
      expect(open(response.rawPayload).equals(whole)).toBe(true);
      expect(Number(response.headers['content-length'])).toBe(response.rawPayload.length);
    }
  });

  it('responds with 304 to a matching ETag, and to HEAD as to GET', async () => {
    for (const path of ['/', String(assets[0])]) {
      const full = await send(path);
      const etag = String(full.headers.get('etag'));
      // Without `fetch`, which adds `Cache-Control: no-cache`.
      const known = await service.app.inject({
        url: basePath + path,
        headers: { 'accept-encoding': 'identity', 'if-none-match': etag },
      });
      expect([known.statusCode, known.headers.etag, known.body]).toEqual([304, etag, '']);
      expect(known.headers['content-security-policy']).toBeTruthy();
      const head = await send(path, { method: 'HEAD' });
      expect([head.status, head.headers.get('etag'), head.text]).toEqual([200, etag, '']);
      expect(head.headers.get('content-length')).toBe(full.headers.get('content-length'));
    }
  });

  it.each([
    ['POST', '/', 405, 'method_not_allowed'],
    ['GET', '/console', 404, 'not_found'],
    ['GET', '/console/', 404, 'not_found'],
    ['GET', '/console/nothing.js', 404, 'not_found'],
    ['GET', '/console/..%2f..%2fpackage.json', 404, 'not_found'],
    ['GET', '/index.html', 404, 'not_found'],
    ['GET', '/?mnemonic=abandon', 400, 'secret_in_request'],
  ])('%s %s is %i %s', async (method, path, status, code) => {
    const response = await send(path, { method });
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(JSON.parse(response.text)).toMatchObject({ status, code });
    expect(response.status).toBe(status);
    if (status === 405) expect(response.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD']);
  });

  it('rejects other methods for its assets', async () => {
    const response = await send(String(assets[0]), { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')?.split(', ').sort()]).toEqual([405, ['GET', 'HEAD']]);
  });

  it('requires no key, and is not part of the API description', async () => {
    const { paths } = (await (await service.get('/openapi.json')).json()) as { paths: object };
    expect(Object.keys(paths).filter((path) => !/\/((v1|health|api\/v3)\/|mcp$)/.test(path))).toEqual([]);
  });

  it('the path without the trailing slash redirects to the page', async () => {
    expect((await send('')).text).toBe((await send('/')).text);
    const { statusCode, headers } = await service.app.inject({ url: basePath || '/' });
    expect([statusCode, headers.location]).toEqual(basePath ? [308, `${basePath}/`] : [200, undefined]);
  });

  it('is served for the URL of any view', async () => {
    for (const query of [
      '?token=solana&metric=market_cap&range=30d&currency=eur',
      '?tokenname=%F0%9F%99%82&Range=no',
    ]) {
      expect((await send(`/${query}`)).text).toBe((await send('/')).text);
    }
    const { headers } = await service.app.inject({ url: `${basePath || '/'}?token=solana&range=7d` });
    expect(headers.location).toBe(basePath ? `${basePath}/?token=solana&range=7d` : undefined);
  });
});

it('passes the registration mode to the page', async () => {
  const service = await startService({ settings: { REGISTRATION: 'closed' }, consoleFolder: folder });
  try {
    expect(await (await service.get('/')).text()).toContain('<html lang="en" data-registration="closed">');
  } finally {
    await service.close();
  }
});

it('varies by origin only if its CORS headers depend on the origin', async () => {
  const settings = { CORS_ORIGINS: 'https://app.example.org' };
  const service = await startService({ settings, consoleFolder: folder });
  try {
    const { headers } = await service.app.inject({ url: '/', headers: { origin: settings.CORS_ORIGINS } });
    expect(headers.vary).toMatch(/^Origin, accept-encoding$/i);
  } finally {
    await service.close();
  }
});

it('responds with 404 and logs the reason if it was not built', async () => {
  const service = await startService({ consoleFolder: join(folder, 'nowhere') });
  try {
    const response = await service.get('/');
    expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
    const received = service.logLines.filter((line) => line.includes('npm run build:console'));
    expect(received.map((line) => JSON.parse(line).level)).toEqual([40]);
  } finally {
    await service.close();
  }
});
