import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Document, published } from '../../fixtures/published.ts';
import { type Service, startService } from '../support/service/service.ts';

const BASE_PATH = '/market';
const services: Service[] = [];
const documents: Document[] = [];

beforeAll(async () => {
  for (const settings of [{ BASE_PATH: '' }, { BASE_PATH }]) {
    const service = await startService({ settings });
    services.push(service);
    documents.push((await (await service.get('/openapi.json')).json()) as Document);
  }
});

afterAll(async () => {
  for (const service of services) await service.close();
});

function* operationsOf(document: Document) {
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) yield { path, method, operation };
  }
}

describe('the description', () => {
  it('contains the name, the version, the license and the URL of the service', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    for (const [document, url] of [
      [documents[0], '/'],
      [documents[1], BASE_PATH],
    ] as const) {
      expect(document).toMatchObject({
        openapi: '3.1.0',
        info: { title: 'Quotient', version, license: { name: 'MIT' } },
        servers: [{ url }],
      });
    }
    expect(documents[0]?.info.description).toContain('Powered by [CoinGecko]');
  });

  it('has the same paths under a base path, with problem types below it', () => {
    const [bare, based] = documents as [Document, Document];
    expect(Object.keys(based.paths)).toEqual(Object.keys(bare.paths));
    const text = JSON.stringify(based);
    expect(text).toContain('"type":"/market/docs/problems#no_data"');
    expect(text).not.toContain('"type":"/docs/problems#no_data"');
  });

  it('has no duplicate schemas, no hidden routes and no HEAD', () => {
    const { components, paths } = documents[0] as Document;
    expect(Object.keys(components.schemas).filter((name) => name.endsWith('Input'))).toEqual([]);
    expect(Object.keys(paths).filter((path) => !/^\/((v1|health|api\/v3)\/|mcp$)/.test(path))).toEqual([]);
    for (const operations of Object.values(paths)) expect(operations).not.toHaveProperty('head');
    expect(JSON.stringify(documents[0])).not.toContain('x-route');
    for (const { operation } of operationsOf(documents[0] as Document)) {
      expect(JSON.stringify(operation.parameters ?? [])).not.toMatch(/"(fix|wire)":/);
    }
  });

  it('has a unique operation ID, a summary, a description and an explained tag for each operation', () => {
    const tags = new Map(documents[0]?.tags.map(({ name, description }) => [name, description]));
    const names = new Set<string>();
    for (const { operation, path } of operationsOf(documents[0] as Document)) {
      expect(operation.summary, path).toMatch(
        /^(Read|List|Register|Replace|Renew|Delete|Create|Revoke|Request|Get|Verify|Change|Search|Send|Stream|Broadcast|Check|Call) /,
      );
      expect(operation.description.length, path).toBeGreaterThan(20);
      expect(operation.operationId).toMatch(
        /^(get|list|create|delete|renew|rotate|update|revoke|request|resend|confirm|verify|send|set|search|stream|broadcast|call)[A-Z][A-Za-z]+$/,
      );
      for (const tag of operation.tags) expect(tags.get(tag), path).toBeTruthy();
      expect(names.has(operation.operationId), operation.operationId).toBe(false);
      names.add(operation.operationId);
    }
    expect(names.size).toBeGreaterThanOrEqual(9);
  });

  it('requires a key with a scope for each operation that needs one', () => {
    const { paths } = documents[0] as Document;
    const anyScheme = [{ ApiKey: [] }, { Bearer: [] }, { Basic: [] }];
    for (const [path, method, scope] of [
      ['/v1/prices/latest/token', 'get', 'prices'],
      ['/v1/node/txs', 'post', 'node'],
      ['/v1/user/keys', 'post', 'account'],
      ['/v1/user/usage', 'get', undefined],
    ] as const) {
      expect(paths[path]?.[method]?.security, path).toEqual(anyScheme);
      expect(paths[path]?.[method]?.['x-scope'], path).toBe(scope);
    }
    expect(paths['/v1/tokens']?.get?.security).toEqual([]);
    expect(paths['/health/live']?.get?.security).toEqual([]);
  });

  it('has no JavaScript-specific patterns, and defines shared parts once', () => {
    const text = JSON.stringify(documents[0]);
    const patterns = [...text.matchAll(/"pattern":("(?:[^"\\\\]|\\\\.)*")/g)].map(([, one = '']) => JSON.parse(one));
    expect(patterns.length).toBeGreaterThan(10);
    // Unicode classes and lookbehinds. Python's `re` does not support the former, and Go supports neither.
    for (const pattern of patterns) expect(pattern).not.toMatch(/\\p\{|\\P\{|\(\?[=!<]/);
    // For prices, and for statistics, which are in US dollars only.
    expect(text.match(/"name":"currency"/g)).toHaveLength(2);
    expect(text.length).toBeLessThan(325_000);
  });

  it('describes every parameter, with an example that its schema allows', () => {
    const contract = published(documents[0] as Document);
    for (const { path, method, operation } of operationsOf(contract.document)) {
      for (const [index, { name, example, ...parameter }] of (operation.parameters ?? []).entries()) {
        expect(parameter, `${path} ${name}`).toHaveProperty('description');
        if (example === undefined) continue;
        const pointer = contract.pointerTo('paths', path, method, 'parameters', String(index), 'schema');
        expect(contract.schemaFaults(pointer, example), `${path} ${name}`).toEqual([]);
      }
    }
  });

  it('has an example of every body that conforms to its schema', () => {
    const contract = published(documents[0] as Document);
    for (const { path, method, operation } of operationsOf(contract.document)) {
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        for (const [type, { example, examples }] of Object.entries(content)) {
          const pointer = contract.pointerTo('paths', path, method, 'responses', status, 'content', type, 'schema');
          const all = examples ? Object.values(examples).map(({ value }) => value) : [example];
          expect(all.length).toBeGreaterThan(0);
          for (const one of all) expect(contract.schemaFaults(pointer, one), `${path} ${status}`).toEqual([]);
        }
      }
    }
  });

  it('has realistic examples', () => {
    const document = documents[0] as Document;
    expect(JSON.stringify(document)).not.toMatch(/"(example|value)":[^}]*9007199254740991/);
    const exampleOf = (path: string) =>
      document.paths[path]?.get?.responses['200']?.content?.['application/json']?.example as Record<string, unknown>;
    const usage = exampleOf('/v1/user/usage') as Record<'periodStart' | 'resetsAt' | 'validUntil', string>;
    expect(usage.periodStart < usage.resetsAt && usage.resetsAt < usage.validUntil).toBe(true);
    expect(usage).toMatchObject({ limit: 10000, used: 877, remaining: 9123, daily: [{ calls: 42 }] });
    const price = exampleOf('/v1/prices/latest/token') as Record<'ath_date' | 'atl_date', string>;
    expect(new Date(price.atl_date) < new Date(price.ath_date)).toBe(true);
    const schema = document.paths['/v1/user/notices']?.put?.requestBody?.content['application/json']?.schema;
    const { webhookUrl, thresholds } = schema?.properties ?? {};
    expect([webhookUrl?.examples, thresholds?.examples]).toEqual([['https://example.org/hooks/quotient'], [[80, 100]]]);
  });

  it('addresses users: it contains no settings, no file names and no repetitions', () => {
    for (const { operation, path } of operationsOf(published(documents[0] as Document).document)) {
      const { description, parameters = [], requestBody } = operation;
      const body = requestBody?.content['application/json']?.schema?.properties ?? {};
      const texts = [description, ...[...parameters, ...Object.values(body)].map((one) => one.description)];
      for (const text of texts) {
        expect(text, path).not.toMatch(
          /\b[A-Z]+_(MS|URLS?|ORIGINS|PER_[A-Z]+)\b|`[A-Z]+=|docs\/\w+\.md|aggregator|\bvenue\b/,
        );
        const [first = '', second] = (text ?? '').toLowerCase().split(': ');
        expect(first, path).not.toBe(second);
      }
    }
  });

  it('lists the currencies that have only a history', () => {
    expect(JSON.stringify(documents[0])).toMatch(/`bgn`, `eek`, `hrk`, `ltl`, `lvl`, `rub` \w+ no longer published/);
  });

  it('declares the headers of a priced response', () => {
    const { paths } = published(documents[0] as Document).document;
    const responses = paths['/v1/prices/history/days']?.get?.responses ?? {};
    expect(Object.keys(responses['200']?.headers ?? {})).toEqual([
      'X-Request-Id',
      'RateLimit-Policy',
      'RateLimit',
      'ETag',
      'Last-Modified',
      'Cache-Control',
      'Cache-Status',
      'Vary',
      'Quotient-Source',
      'Age',
      'Quotient-Gaps',
      'Quotient-Currency',
      'Quotient-Token',
    ]);
    expect(responses['401']?.headers).toHaveProperty('WWW-Authenticate');
    expect(responses['405']?.headers).toHaveProperty('Allow');
    expect(responses['429']?.headers).toHaveProperty('Retry-After');
    expect(responses['503']?.headers).toHaveProperty('Retry-After');
  });
});
