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

  /** The whole answer, uncompressed unless the headers say otherwise. */
  async function ask(path: string, { method = 'GET', ...headers }: Record<string, string> = {}) {
    const init = { method, headers: { 'accept-encoding': 'identity', ...headers } };
    const answer = await fetch(service.url + path, init);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  it('is a page that loads what there is, and nothing else', async () => {
    const page = await ask('/');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = page.text;
    expect(html).toContain('Powered by');
    const loaded = [...html.matchAll(/<(?:script|link|img)\b[^>]*?\b(?:src|href)="([^"]+)"/g)];
    expect(loaded).toHaveLength(4);
    for (const [, target] of loaded) {
      const url = new URL(String(target), `${service.url}/`);
      expect(url.href.startsWith(`${service.url}/console/`)).toBe(true);
      expect((await ask(url.href.slice(service.url.length))).status).toBe(200);
    }
    // Neither script nor style in place, which the policy would refuse.
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\bsrc=)/);
  });

  it('has a strict policy, on the page and on all it loads', async () => {
    for (const path of ['/', ...assets]) {
      const { headers } = await ask(path);
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

  it('is kept for good where the name tells the content, and asked about where it does not', async () => {
    expect((await ask('/')).headers.get('cache-control')).toBe('no-cache');
    for (const path of assets) {
      expect(path).toMatch(/-[\w-]{8,10}\.(js|css|svg)$/);
      expect((await ask(path)).headers.get('cache-control'), path).toBe('public, max-age=31536000, immutable');
    }
  });

  it('comes in the coding that was asked for, each with an ETag of its own', async () => {
    for (const path of ['/', ...assets]) {
      const { pathname } = new URL(service.url + path);
      const answers = await Promise.all(
        ['identity', 'gzip', 'br'].map((coding) =>
          exchange(
            origin,
            `GET ${pathname} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${coding}\r\nConnection: close\r\n\r\n`,
          ),
        ),
      );
      expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'gzip', 'br']);
      expect(new Set(answers.map(({ headers }) => headers.etag)).size, path).toBe(3);
    }
    const whole = Buffer.from((await ask('/')).text);
    for (const [coding, open] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const answer = await service.app.inject({
        url: `${basePath}/`,
        headers: { 'accept-encoding': coding },
      });
      expect(open(answer.rawPayload).equals(whole)).toBe(true);
      expect(Number(answer.headers['content-length'])).toBe(answer.rawPayload.length);
    }
  });

  it('answers 304 to whoever has it, and HEAD like GET', async () => {
    for (const path of ['/', String(assets[0])]) {
      const full = await ask(path);
      const etag = String(full.headers.get('etag'));
      // Not with `fetch`, which asks for the whole answer by adding `Cache-Control: no-cache`.
      const known = await service.app.inject({
        url: basePath + path,
        headers: { 'accept-encoding': 'identity', 'if-none-match': etag },
      });
      expect([known.statusCode, known.headers.etag, known.body]).toEqual([304, etag, '']);
      expect(known.headers['content-security-policy']).toBeTruthy();
      const head = await ask(path, { method: 'HEAD' });
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
    const response = await ask(path, { method });
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(JSON.parse(response.text)).toMatchObject({ status, code });
    expect(response.status).toBe(status);
    if (status === 405) expect(response.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD']);
  });

  it('refuses other methods of its files', async () => {
    const response = await ask(String(assets[0]), { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')?.split(', ').sort()]).toEqual([405, ['GET', 'HEAD']]);
  });

  it('needs no key, and is no part of the interface description', async () => {
    const { paths } = (await (await service.get('/openapi.json')).json()) as { paths: object };
    expect(Object.keys(paths).filter((path) => !/\/(v1|health)\//.test(path))).toEqual([]);
  });

  it('is led to from the path without the slash that its references need', async () => {
    expect((await ask('')).text).toBe((await ask('/')).text);
    const { statusCode, headers } = await service.app.inject({ url: basePath || '/' });
    expect([statusCode, headers.location]).toEqual(basePath ? [308, `${basePath}/`] : [200, undefined]);
  });

  it('is there for the address of any view', async () => {
    for (const query of [
      '?token=solana&metric=market_cap&range=30d&currency=eur',
      '?tokenname=%F0%9F%99%82&Range=no',
    ]) {
      expect((await ask(`/${query}`)).text).toBe((await ask('/')).text);
    }
    const { headers } = await service.app.inject({ url: `${basePath || '/'}?token=solana&range=7d` });
    expect(headers.location).toBe(basePath ? `${basePath}/?token=solana&range=7d` : undefined);
  });
});

it('tells the page who may register, and whether mail is sent', async () => {
  const service = await startService({ settings: { REGISTRATION: 'closed' }, consoleFolder: folder });
  try {
    expect(await (await service.get('/')).text()).toContain('<html lang="en" data-registration="closed">');
  } finally {
    await service.close();
  }
});

it('varies by origin too where what CORS says depends on it', async () => {
  const settings = { CORS_ORIGINS: 'https://app.example.org' };
  const service = await startService({ settings, consoleFolder: folder });
  try {
    const { headers } = await service.app.inject({ url: '/', headers: { origin: settings.CORS_ORIGINS } });
    expect(headers.vary).toMatch(/^Origin, accept-encoding$/i);
  } finally {
    await service.close();
  }
});

it('is 404 and says so in the log where it was not built', async () => {
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
