import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOPICS, USER_TOPICS } from '#docs/site/topics';
import { type Service, startService } from '../support/service/service.ts';

type Crawled = { title: string; html: string; ids: string[]; links: string[]; prev?: string; next?: string };

const linksIn = (html: string) => [...html.matchAll(/<a\b[^>]*? href="([^"]+)"/g)].map(([, target]) => target ?? '');
const neighborIn = (html: string, rel: string) => new RegExp(`<a rel="${rel}"[^>]* href="([^"]+)"`).exec(html)?.[1];

describe.each(['', '/market'])('the docs under the base path %o', (basePath) => {
  let service: Service;
  let origin: string;
  let pages: Map<string, Crawled>;

  /** Follows all links within the docs, from the start page. */
  async function crawl(): Promise<Map<string, Crawled>> {
    const found = new Map<string, Crawled>();
    const waiting = [`${basePath}/docs`];
    for (const path of waiting) {
      if (found.has(path)) continue;
      const response = await fetch(origin + path);
      expect(response.status, path).toBe(200);
      const html = await response.text();
      const prev = neighborIn(html, 'prev');
      const next = neighborIn(html, 'next');
      const links = linksIn(html);
      found.set(path, {
        html,
        links,
        title: /<title>(.*?)<\/title>/.exec(html)?.[1] ?? '',
        ids: [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id ?? ''),
        ...(prev && { prev }),
        ...(next && { next }),
      });
      const inside = links
        .map((link) => link.split('#')[0] ?? '')
        .filter((link) => link.startsWith(`${basePath}/docs`));
      waiting.push(...inside.filter((link) => !link.endsWith('.md')));
    }
    return found;
  }

  beforeAll(async () => {
    service = await startService({ settings: { BASE_PATH: basePath } });
    origin = new URL(service.url).origin;
    pages = await crawl();
  });
  afterAll(() => service?.close());

  it('contain every page, each with its own title and one heading of the first level', () => {
    expect([...pages.keys()]).toEqual(expect.arrayContaining(TOPICS.map(({ path }) => `${basePath}/docs/${path}`)));
    const titles = [...pages.values()].map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    for (const [path, { html, title }] of pages) {
      expect(title, path).toMatch(/^Quotient: ./);
      expect(html.match(/<h1\b/g), path).toHaveLength(1);
      expect(html, path).toContain('aria-current="page"');
    }
  });

  it('have no broken links and no duplicate anchors', async () => {
    const others = new Set<string>();
    for (const [path, { ids, links }] of pages) {
      expect(
        ids.filter((id, place) => ids.indexOf(id) !== place),
        path,
      ).toEqual([]);
      for (const link of links.filter((one) => !/^https?:/.test(one))) {
        const [target = '', anchor] = link.split('#');
        const page = pages.get(target === '' ? path : target);
        if (page && anchor !== undefined) expect(page.ids, `${path}: ${link}`).toContain(anchor);
        else if (!page && target !== `${basePath}/`) others.add(target);
      }
    }
    expect(others.size).toBeGreaterThan(pages.size);
    for (const target of others) expect([target, (await fetch(origin + target)).status]).toEqual([target, 200]);
  });

  it('form one chain of previous and next pages', () => {
    const chain: string[] = [];
    let current: string | undefined = `${basePath}/docs`;
    while (current !== undefined) {
      const next: string | undefined = pages.get(current)?.next;
      expect(chain).not.toContain(current);
      if (next !== undefined) expect(pages.get(next)?.prev).toBe(current);
      chain.push(current);
      current = next;
    }
    expect(chain.sort()).toEqual([...pages.keys()].sort());
    expect(pages.get(`${basePath}/docs`)?.prev).toBeUndefined();
    expect(pages.get(`${basePath}/docs`)?.next).toBe(`${basePath}/docs/getting-started`);
  });

  it('have a Markdown version of every page, with the same title and links to existing Markdown', async () => {
    for (const [path, { html, links }] of pages) {
      expect(links, path).toContain(`${path}.md`);
      const markdown = await (await fetch(`${origin}${path}.md`)).text();
      const heading = /<h1>(.*?)<\/h1>/.exec(html)?.[1];
      expect(markdown.split('\n')[0], path).toBe(`# ${heading}`);
      const targets = [...markdown.matchAll(/\]\((\/[^)#]*)/g)].map(([, target]) => target ?? '');
      for (const target of targets.filter((one) => one.startsWith(`${basePath}/docs`)))
        expect(pages.has(target.replace(/\.md$/, '')), `${path}.md: ${target}`).toBe(true);
    }
  });

  it('contain the placeholder and the base path in the examples for users', () => {
    for (const { path } of [...USER_TOPICS, { path: 'getting-started' }]) {
      const { html } = pages.get(`${basePath}/docs/${path}`) as Crawled;
      expect(html, path).not.toContain('127.0.0.1:8080');
      if (basePath !== '') expect(html, path).not.toContain('quotient.example/v1');
    }
    const { html } = pages.get(`${basePath}/docs/history`) as Crawled;
    expect(html).toContain(`https://quotient.example${basePath}/v1/prices/history/date?tokenName=bitcoin`);
  });

  it('lead from the anchors of the former single page to the sections that replace them', async () => {
    const start = pages.get(`${basePath}/docs`) as Crawled;
    const former = ['key', 'first-call', 'history', 'dates', 'client', 'limits', 'too-many-requests', 'leaked-key'];
    const later = ['renewal', 'account', 'freshness', 'errors', 'node', 'rules', 'shared-problems', 'shared-headers'];
    for (const id of [...former, ...later, 'shared-parameters', 'getLatestPrice', 'listSources'])
      expect(start.html, id).toMatch(new RegExp(`<li id="${id}" class="moved"><a href="${basePath}/docs/`));
  });
});
