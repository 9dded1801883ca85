import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROBLEM_CODES, problemKind } from '../../src/problems.ts';
import { type Service, startService } from '../support/service.ts';

/** What a browser would load of a page: the targets of scripts, style sheets, icons and images. */
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

  it.each(['/docs', '/docs/', '/docs/problems'])('%s loads nothing from outside', async (path) => {
    const page = await service.get(path);
    const html = await page.text();
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
    expect(html).toContain('Data provided by CoinGecko');
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
  });

  it('shows the description of this service, and has no validator elsewhere', async () => {
    const script = await (await service.get('/docs/static/swagger-initializer.js')).text();
    expect(script).toContain('validatorUrl: null');
    expect(script).toContain('"validatorUrl":null');
    expect(script).toContain("url: resolveUrl('./json')");
    const shown = await (await service.get('/docs/json')).json();
    expect(shown).toEqual(await (await service.get('/openapi.json')).json());
  });

  it('has a section for every problem, where its type leads', async () => {
    const missing = await service.get('/v1/prices/latest/token');
    const { type } = (await missing.json()) as { type: string };
    expect(type).toBe(`${basePath}/docs/problems#api_key_missing`);
    const html = await (await fetch(new URL(type, origin))).text();
    for (const code of PROBLEM_CODES) {
      const section = html.split(`<section id="${code}">`)[1]?.split('</section>')[0];
      expect(section, code).toContain(`${problemKind(code).status}`);
      expect(section, code).toContain(problemKind(code).title);
      expect(section?.match(/<p>/g), code).toHaveLength(2);
    }
  });

  it.each([
    ['GET', '/docs/nothing', 404, 'not_found'],
    ['GET', '/docs/static/nothing.js', 404, 'not_found'],
    ['GET', '/docs/static/..%2f..%2fpackage.json', 404, 'not_found'],
    ['GET', '/docs/problems/nothing', 404, 'not_found'],
    ['POST', '/docs', 405, 'method_not_allowed'],
    ['POST', '/docs/problems', 405, 'method_not_allowed'],
    ['DELETE', '/docs/static/index.css', 405, 'method_not_allowed'],
    ['PUT', '/openapi.json', 405, 'method_not_allowed'],
  ])('%s %s is %i %s', async (method, path, status, code) => {
    const response = await fetch(`${service.url}${path}`, { method });
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(await response.json()).toMatchObject({ status, code });
    expect(response.status).toBe(status);
    if (status === 405) expect(response.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD']);
  });
});
