import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BUILT_IN_TOKENS } from '#catalogue/token';
import type { TokenRecord } from '#prices/model/prices-records';
import { PLAN_NAMES, PLANS } from '#users/plan';
import { type Document, published } from '../fixtures/published.ts';
import { type Service, startService } from './support/service/service.ts';

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const README = read('README.md');
const API = read('docs/api.md');

let service: Service;
let paths: Document['paths'];
beforeAll(async () => {
  service = await startService();
  ({ paths } = published((await (await service.get('/openapi.json')).json()) as Document).document);
});
afterAll(() => service.close());

it('docs/api.md lists exactly the served paths', () => {
  const calls = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => ({ path, call: `${method.toUpperCase()} ${path}` })),
  );
  expect(calls.length).toBeGreaterThan(10);
  const missing = calls.filter(({ path, call }) => !API.includes(`\`${call}\``) && !API.includes(`\`${path}\``));
  expect(missing).toEqual([]);
  const pages = [README, ...['api', 'keys-and-allowances', 'prices', 'node'].map((name) => read(`docs/${name}.md`))];
  const named = pages.flatMap((page) => [...page.matchAll(/`([A-Z]+ \/v1\/[^`?]+)[^`]*`/g)].map(([, call]) => call));
  expect(calls.map(({ call }) => call)).toEqual(expect.arrayContaining(named));
});

it.each(PLAN_NAMES)('docs/keys-and-allowances.md lists the plan %s and its limit', (plan) => {
  const limit = PLANS[plan].limit.toLocaleString('en');
  expect(read('docs/keys-and-allowances.md')).toContain(`| \`${plan}\` | ${limit} |`);
});

it.each(BUILT_IN_TOKENS)(
  'README.md lists $name, and docs/api.md lists its symbol if it has statistics',
  ({ name, symbol, statistics }) => {
    expect(README.slice(0, README.indexOf('##'))).toMatch(new RegExp(`\\b${name}\\b`));
    const row = API.split('\n').find((line) => line.includes('`GET /v1/prices/latest/stats`'));
    expect(row?.includes(`\`${symbol}\``)).toBe(statistics);
  },
);

it('the response in README.md has the members of the real one', async () => {
  const [, shown = ''] = /^```json\n(.*?)^```/ms.exec(README) ?? [];
  const key = await service.register();
  const response = await service.get('/v1/prices/latest/token?tokenName=bitcoin', { key });
  expect(Object.keys(JSON.parse(shown))).toEqual(Object.keys((await response.json()) as object));
});

/** The numbers of a text, without separators of thousands, as they are written. */
const numbersIn = (text: string) => text.replaceAll(/(?<=\d),(?=\d{3})/g, '').match(/\d+(\.\d+)?/g) ?? [];
const section = (title: string) => README.split(/^## /m).find((part) => part.startsWith(title)) ?? '';

it.each(['Why not', 'Measured'])(
  'the figures of the section “%s” of README.md are those of docs/figures.md',
  (title) => {
    const measured = numbersIn(read('docs/figures.md')).map(Number);
    const stated = numbersIn(section(title));
    expect(stated).not.toEqual([]);
    const isRounded = (number: string) => {
      const decimals = number.split('.')[1]?.length ?? 0;
      return measured.some((figure) => figure.toFixed(decimals) === Number(number).toFixed(decimals));
    };
    expect(stated.filter((number) => !isRounded(number))).toEqual([]);
  },
);

it('GET /v1/tokens lists for each token the paths that accept it', async () => {
  const tokens = (await (await service.get('/v1/tokens')).json()) as TokenRecord[];
  const taking = (name: string) =>
    Object.keys(paths).filter(
      (path) => path !== '/v1/tokens' && paths[path]?.get?.parameters?.some((one) => one.name === name),
    );
  expect(taking('tokenName').length).toBeGreaterThan(0);
  for (const { tokenName, endpoints } of tokens) {
    const hasStatistics = BUILT_IN_TOKENS.find(({ name }) => name === tokenName)?.statistics;
    const prices = [...taking('tokenName'), ...taking('tokenNames')];
    const expected = [...prices, ...(hasStatistics ? taking('token') : [])];
    expect([...endpoints].sort()).toEqual(expected.sort());
  }
});
