import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROBLEM_CODES, problemKind } from '#core/problems';
import type { Document } from '../../fixtures/published.ts';
import { type Service, startService } from '../support/service/service.ts';

/** The assets that a browser loads for a page: scripts, style sheets, icons and images. */
function assetsOf(html: string): string[] {
  const loaded = /<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)="([^"]+)"/g;
  return [...html.matchAll(loaded)].map(([, target]) => target ?? '');
}

/** References to other hosts that a style sheet or a script would load. */
const LOADS_FROM_OUTSIDE = {
  css: /@import\s+["'(]*https?:|url\(\s*["']?(?:https?:)?\/\//i,
  js: /\b(?:fetch|import|importScripts|Worker|EventSource|WebSocket)\(\s*["'`](?:https?|wss?):|\.src\s*=\s*["'`]https?:/,
};

describe.each([
  ['without a base path', ''],
  ['under a base path', '/market'],
])('the pages %s', (_where, basePath) => {
  let service: Service;
  let origin: string;

  beforeAll(async () => {
    service = await startService({ settings: { BASE_PATH: basePath } });
    origin = new URL(service.url).origin;
  });

  afterAll(() => service?.close());

  it.each(['/docs', '/docs/', '/docs/prices', '/docs/reference/users', '/docs/problems'])(
    '%s loads nothing from outside',
    async (path) => {
      const page = await service.get(path);
      const html = await page.text();
      expect(page.status).toBe(200);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const policy = page.headers.get('content-security-policy');
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
      expect(policy).not.toContain('unsafe');
      expect(html).not.toMatch(/<style|<script>| style=| on[a-z]+=/);
      expect(html).toMatch(/<title>Quotient/);

      const assets = assetsOf(html);
      expect(assets.length).toBeGreaterThan(0);
      for (const asset of assets) {
        const url = new URL(asset, `${service.url}${path}`);
        expect(url.origin, asset).toBe(origin);
        const response = await fetch(url);
        expect(response.status, asset).toBe(200);
        const text = await response.text();
        const outside = asset.endsWith('.css') ? LOADS_FROM_OUTSIDE.css : LOADS_FROM_OUTSIDE.js;
        if (/\.(css|js)$/.test(asset)) expect(text.match(outside), asset).toBeNull();
      }
    },
  );

  it('contain every operation with its path under the base path, and list all operations on the start page', async () => {
    const { paths } = (await (await service.get('/openapi.json')).json()) as Document;
    const start = await (await service.get('/docs')).text();
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, { operationId, tags }] of Object.entries(operations)) {
        const html = await (await service.get(`/docs/reference/${tags[0]}`)).text();
        const place = `data-method="${method.toUpperCase()}" data-path="${basePath}${path}"`;
        expect(html).toContain(`<section id="${operationId}" class="operation" ${place}>`);
        expect(html).toContain(`<li><a href="#${operationId}">`);
        expect(start).toContain(`<a href="${basePath}/docs/reference/${tags[0]}#${operationId}">`);
      }
    }
  });

  it('state common problems, headers and parameters once', async () => {
    const common = await (await service.get('/docs/reference')).text();
    const prices = await (await service.get('/docs/reference/prices')).text();
    const shared = common.split('<section id="shared-problems"')[1]?.split('</section>')[0];
    for (const code of ['invalid_request', 'internal_error', 'api_key_missing', 'quota_exceeded']) {
      expect(shared, code).toContain(`#${code}"`);
      expect(prices, code).not.toContain(`docs/problems#${code}"`);
    }
    expect(common.split('id="header-RateLimit"')).toHaveLength(2);
    expect(common.split('id="parameter-currency"')).toHaveLength(2);
    expect(prices).toContain(`<a href="${basePath}/docs/reference#parameter-currency">`);
  });

  it('show the first steps of the description with the same headings', async () => {
    const { info } = (await (await service.get('/openapi.json')).json()) as Document;
    const html = await (await service.get('/docs/getting-started')).text();
    const titles = [...info.description.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(titles.length).toBeGreaterThan(5);
    const headings = [...html.matchAll(/<h2><a href="#[^"]+">([^<]+)<\/a><\/h2>/g)].map(([, title]) => title);
    expect(headings).toEqual(titles);
    expect(info.description).toContain(`${basePath}/v1/user/create?name=`);
    expect(info.description).toContain(`](${basePath}/docs/plans#expiry-and-renewal)`);
  });

  it.each(['/docs', '/docs/prices', '/docs/problems'])('%s links to the other parts of the service', async (path) => {
    const html = await (await service.get(path)).text();
    for (const target of ['/', '/docs', '/docs/problems', '/openapi.json', '/llms.txt']) {
      expect(html).toContain(`<a href="${basePath}${target}"`);
    }
    expect(html).toContain('Powered by <a href="https://www.coingecko.com">CoinGecko</a>');
  });

  it('contain a section for every problem, at the URL of its type', async () => {
    const missing = await service.get('/v1/prices/latest/token');
    const { type } = (await missing.json()) as { type: string };
    expect(type).toBe(`${basePath}/docs/problems#api_key_missing`);
    const html = await (await fetch(new URL(type, origin))).text();
    for (const code of PROBLEM_CODES) {
      expect(html).toContain(`<a href="#${code}"><code>${code}</code></a></li>`);
      const section = html.split(`<section id="${code}"`)[1]?.split('</section>')[0];
      const { status, title } = problemKind(code);
      expect(section, code).toContain(
        `<span class="status">${code === 'node_rejected' ? '4xx' : status}</span> ${title}`,
      );
      expect(section?.match(/<dd>.{10,}<\/dd>/g), code).toHaveLength(2);
      const example = section?.split('<pre')[1]?.split('<code>')[1]?.split('</code>')[0] ?? '';
      const text = example.replaceAll(/<[^>]+>/g, '');
      const body = JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&gt;', '>').replaceAll('&amp;', '&'));
      expect(body).toMatchObject({ type: `${basePath}/docs/problems#${code}`, title, status, code });
    }
  });

  it.each([
    ['/docs', 'text/html; charset=utf-8'],
    ['/docs/problems', 'text/html; charset=utf-8'],
    ['/docs/reference/users', 'text/html; charset=utf-8'],
    ['/docs.md', 'text/plain; charset=utf-8'],
    ['/docs/prices.md', 'text/plain; charset=utf-8'],
    ['/docs/search.json', 'application/json; charset=utf-8'],
    ['/docs/static/docs.css', 'text/css; charset=utf-8'],
    ['/docs/static/page.css', 'text/css; charset=utf-8'],
    ['/docs/static/theme.js', 'text/javascript; charset=utf-8'],
    ['/docs/static/samples.js', 'text/javascript; charset=utf-8'],
    ['/openapi.json', 'application/json; charset=utf-8'],
    ['/llms.txt', 'text/plain; charset=utf-8'],
  ])('%s is compressed, revalidated with an ETag, and 406 if the client does not accept it', async (path, type) => {
    expect((await service.get(path, { headers: { accept: 'image/png' } })).status).toBe(406);
    const page = await service.get(path, { headers: { 'accept-encoding': 'br' } });
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': type,
      'content-encoding': 'br',
      'cache-control': 'no-cache',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
    });
    const etag = page.headers.get('etag') ?? '';
    const headers = { 'accept-encoding': 'br', 'if-none-match': etag };
    const again = await service.get(path, { headers });
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);

    const plain = await service.get(path, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.headers.get('etag')).not.toBe(etag);
    const text = await plain.text();
    expect(text).toBe(await page.text());
    const head = await fetch(`${service.url}${path}`, {
      method: 'HEAD',
      headers: { 'accept-encoding': 'identity' },
    });
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  });

  it.each([
    ['GET', '/docs/nothing', 404, 'not_found'],
    ['GET', '/docs/static/nothing.js', 404, 'not_found'],
    ['GET', '/docs/static/..%2f..%2fpackage.json', 404, 'not_found'],
    ['GET', '/docs/problems/nothing', 404, 'not_found'],
    ['GET', '/docs/nothing.md', 404, 'not_found'],
    ['GET', '/docs/..%2fREADME.md', 404, 'not_found'],
    ['POST', '/docs', 405, 'method_not_allowed'],
    ['POST', '/docs/problems', 405, 'method_not_allowed'],
    ['POST', '/docs/prices.md', 405, 'method_not_allowed'],
    ['DELETE', '/docs/static/docs.css', 405, 'method_not_allowed'],
    ['POST', '/llms.txt', 405, 'method_not_allowed'],
    ['PUT', '/openapi.json', 405, 'method_not_allowed'],
  ])('%s %s is %i %s', async (method, path, status, code) => {
    const response = await fetch(`${service.url}${path}`, { method });
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(await response.json()).toMatchObject({ status, code });
    expect(response.status).toBe(status);
    if (status === 405) expect(response.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD']);
  });
});
