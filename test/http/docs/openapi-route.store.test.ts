import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Document, published } from '../../../fixtures/published.ts';
import { type Service, startService } from '../../support/service/service.ts';

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

/** Redocly's problems with a document, by its `recommended` rules, without network. */
async function lint(document: Document): Promise<{ totals: object; problems: { message: string }[] }> {
  const manifest = createRequire(import.meta.url).resolve('@redocly/cli/package.json');
  const { bin } = JSON.parse(await readFile(manifest, 'utf8')) as { bin: { redocly: string } };
  const directory = await mkdtemp(join(tmpdir(), 'quotient-openapi-'));
  try {
    const file = join(directory, 'openapi.json');
    await writeFile(file, JSON.stringify(document));
    const args = [
      join(dirname(manifest), bin.redocly),
      'lint',
      file,
      '--extends=recommended',
      '--format=json',
    ];
    const env = {
      ...process.env,
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      CI: 'true',
    };
    // Its exit code tells of errors alone; the report of warnings as well.
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: directory, env }).catch(
      (failed: { stdout: string }) => failed,
    );
    return JSON.parse(stdout);
  } finally {
    await rm(directory, { recursive: true });
  }
}

describe('the description', () => {
  it.each(['', BASE_PATH])('lints clean under the base path %o', async (basePath) => {
    const { totals, problems } = await lint(documents[basePath ? 1 : 0] as Document);
    expect(problems.map(({ message }) => message)).toEqual([]);
    expect(totals).toMatchObject({ errors: 0, warnings: 0 });
  });

  it('would not lint clean if something were missing', async () => {
    const broken = structuredClone(documents[0] as Document);
    Reflect.deleteProperty(broken.info, 'license');
    const { problems } = await lint(broken);
    expect(problems).toHaveLength(1);
  });

  it('names the service, its version, its license and where it is', async () => {
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

  it('has the same paths under a base path, and problems that lead below it', () => {
    const [bare, based] = documents as [Document, Document];
    expect(Object.keys(based.paths)).toEqual(Object.keys(bare.paths));
    const text = JSON.stringify(based);
    expect(text).toContain('"type":"/market/docs/problems#no_data"');
    expect(text).not.toContain('"type":"/docs/problems#no_data"');
  });

  it('has no twin of a schema, nothing hidden and no HEAD', () => {
    const { components, paths } = documents[0] as Document;
    expect(Object.keys(components.schemas).filter((name) => name.endsWith('Input'))).toEqual([]);
    expect(Object.keys(paths).filter((path) => !/^\/(v1|health)\//.test(path))).toEqual([]);
    for (const operations of Object.values(paths)) expect(operations).not.toHaveProperty('head');
    expect(JSON.stringify(documents[0])).not.toContain('x-route');
    for (const { operation } of operationsOf(documents[0] as Document)) {
      expect(JSON.stringify(operation.parameters ?? [])).not.toMatch(/"(fix|wire)":/);
    }
  });

  it('gives every operation a name of its own, a summary, and a tag that is explained', () => {
    const tags = new Map(documents[0]?.tags.map(({ name, description }) => [name, description]));
    const names = new Set<string>();
    for (const { operation, path } of operationsOf(documents[0] as Document)) {
      expect(operation.summary, path).toBeTruthy();
      for (const tag of operation.tags) expect(tags.get(tag), path).toBeTruthy();
      expect(names.has(operation.operationId), operation.operationId).toBe(false);
      names.add(operation.operationId);
    }
    expect(names.size).toBeGreaterThanOrEqual(9);
  });

  it('asks for a key where one is needed, with the scope that it needs', () => {
    const { paths } = documents[0] as Document;
    expect(paths['/v1/prices/latest/token']?.get?.security).toEqual([
      { ApiKey: ['prices'] },
      { Bearer: ['prices'] },
      { Basic: ['prices'] },
    ]);
    expect(paths['/v1/node/txs']?.post?.security).toContainEqual({ ApiKey: ['node'] });
    expect(paths['/v1/user/keys']?.post?.security).toContainEqual({ ApiKey: ['account'] });
    expect(paths['/v1/user/usage']?.get?.security).toContainEqual({ ApiKey: [] });
    expect(paths['/v1/tokens']?.get?.security).toEqual([]);
    expect(paths['/health/live']?.get?.security).toEqual([]);
  });

  it('says of every parameter what it is, with an example that its schema allows', () => {
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

  it('gives an example of every body, as its schema has it', () => {
    const contract = published(documents[0] as Document);
    for (const { path, method, operation } of operationsOf(contract.document)) {
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        for (const [type, { example, examples }] of Object.entries(content)) {
          const pointer = contract.pointerTo(
            'paths',
            path,
            method,
            'responses',
            status,
            'content',
            type,
            'schema',
          );
          const all = examples ? Object.values(examples).map(({ value }) => value) : [example];
          expect(all.length).toBeGreaterThan(0);
          for (const one of all) expect(contract.schemaFaults(pointer, one), `${path} ${status}`).toEqual([]);
        }
      }
    }
  });

  it('declares the headers of a priced answer', () => {
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
    ]);
    expect(responses['401']?.headers).toHaveProperty('WWW-Authenticate');
    expect(responses['405']?.headers).toHaveProperty('Allow');
    expect(responses['429']?.headers).toHaveProperty('Retry-After');
    expect(responses['503']?.headers).toHaveProperty('Retry-After');
  });
});
