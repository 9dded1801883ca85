import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Document, published } from '../../fixtures/published.ts';
import { type Service, startService } from '../support/service/service.ts';

describe.each(['', '/market'])('under the base path %o', (basePath) => {
  let service: Service;
  let text: string;
  let document: Document;
  beforeAll(async () => {
    service = await startService({ settings: { BASE_PATH: basePath } });
    const response = await service.get('/llms.txt');
    expect(response.status).toBe(200);
    text = await response.text();
    document = published((await (await service.get('/openapi.json')).json()) as Document).document;
  });
  afterAll(() => service?.close());

  const lineOf = (method: string, path: string) =>
    text.split('\n').find((line) => line.startsWith(`- [${method.toUpperCase()} ${path}](`)) ?? '';

  it('has a title, a summary, and sections of links', () => {
    expect(text).toMatch(/^# Quotient\n\n> Market quotes, on a quota\. .+CoinGecko.+\n\n- /);
    const [, ...sections] = text.split(/^## .+$/m);
    expect(sections.length).toBe(document.tags.length + 2);
    for (const section of sections) {
      for (const line of section.trim().split('\n')) expect(line).toMatch(/^- \[[^\]]+\]\(\/[^)]*\): ./);
    }
    expect(text).toContain(basePath === '' ? 'Base URL: the origin of this file' : 'Base URL: `/market`');
    expect(text).not.toMatch(/undefined|\[object|https:\/\/quotient\.example/);
  });

  it('lists every operation with its parameters and a link to its description', () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, { summary, parameters = [] }] of Object.entries(operations)) {
        const line = lineOf(method, path);
        expect(line, `${method} ${path}`).toContain(`): ${summary}. `);
        for (const { name, required } of parameters) expect(line).toContain(required ? `; ${name}` : `; ${name}?`);
        const pointer = decodeURIComponent(/#\/([^)]+)/.exec(line)?.[1] ?? '').split('/');
        const found = pointer.reduce<unknown>(
          (at, part) => (at as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')],
          document,
        );
        expect(found).toBe(operations[method]);
      }
    }
  });

  it.each([
    ['get', '/v1/prices/latest/token', '. key with the scope prices; one call; tokenName (like "bitcoin")'],
    [
      'get',
      '/v1/prices/latest/tokens',
      '. key with the scope prices; one call for every 10 tokens, rounded up; tokenNames (like',
    ],
    ['get', '/v1/prices/history/days', '; JSON or text/csv; '],
    ['get', '/v1/prices/history/days', '; days (1 to 36500, like 30)'],
    ['get', '/v1/user/usage', '. key; free'],
    ['get', '/v1/user/data', '. key, in the query or in the header; free; api?'],
    ['get', '/v1/tokens', '. no key; free'],
    ['post', '/v1/user/create', '; plan (monthly|yearly)'],
    ['post', '/v1/node/txs', '; body in application/json'],
  ])('%s %s: %s', (method, path, terms) => {
    expect(lineOf(method, path)).toContain(terms);
  });

  it('links the Markdown version of every page, with its summary, and only existing pages', async () => {
    const targets = [...text.matchAll(/\]\((\/[^)#]*)/g)].map(([, target]) => target ?? '');
    const pages = [...new Set(targets)].filter((target) => target !== `${basePath}/`);
    for (const page of pages) expect([page, (await fetch(new URL(page, service.url))).status]).toEqual([page, 200]);
    const start = await (await service.get('/docs')).text();
    const contents = start.split('<nav id="contents"')[1]?.split('</nav>')[0] ?? '';
    const served = [...contents.matchAll(/ href="([^"#]+)"/g)].map(([, target]) => `${target}.md`);
    expect(served.length).toBeGreaterThan(20);
    expect(pages.filter((page) => page.endsWith('.md')).sort()).toEqual(served.sort());
  });
});
