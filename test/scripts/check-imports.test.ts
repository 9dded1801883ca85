import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';

const SCRIPT = join(import.meta.dirname, '../../scripts/check-imports.ts');

const folders: string[] = [];
afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true }))));

/** The result of the check on modules with these imports, and the reported files. */
async function check(modules: Readonly<Record<string, readonly string[]>>) {
  const root = await mkdtemp(join(tmpdir(), 'imports-'));
  folders.push(root);
  await writeFile(join(root, 'package.json'), JSON.stringify({ imports: { '#*': './src/*.ts' } }));
  for (const [file, imported] of Object.entries(modules)) {
    await mkdir(join(root, dirname(file)), { recursive: true });
    await writeFile(join(root, file), imported.map((name) => `import { it } from '${name}';\n`).join(''));
  }
  return new Promise<{ code: number; named: string[] }>((resolve) => {
    execFile(process.execPath, [SCRIPT, root], (error, _out, received) => {
      resolve({ code: error ? Number(error.code) : 0, named: received.match(/^[^:]+/gm) ?? [] });
    });
  });
}

it('accepts imports that conform to the rules', async () => {
  const modules = {
    'src/serve.ts': ['#accounts/open'],
    'src/accounts/open.ts': ['./user-store.ts', '#server/replies/send', '#core/clock'],
    'src/accounts/user-store.ts': ['@prisma/client', '#database/database'],
    'src/prices/routes-latest.ts': ['fastify', '#catalogue/token'],
    'src/upstream/transport/http-client.ts': ['undici', 'node:net'],
  };
  expect(await check(modules)).toEqual({ code: 0, named: [] });
});

it.each<[string, Record<string, string[]>]>([
  ['a lower folder that imports a capability', { 'src/server/a.ts': ['#accounts/gate'] }],
  ['a capability that imports another capability', { 'src/node/a.ts': ['#prices/market'] }],
  ['a capability that imports the root', { 'src/node/a.ts': ['#settings'] }],
  ['a capability that imports another capability’s store', { 'src/prices/a.ts': ['#catalogue/token-store'] }],
  ['Prisma outside a store', { 'src/accounts/users.ts': ['@prisma/client'] }],
  ['Fastify outside routes', { 'src/prices/market.ts': ['fastify'] }],
  ['the tracing SDK outside its module', { 'src/serve.ts': ['@opentelemetry/sdk-trace'] }],
  ['spans with any attribute', { 'src/node/a.ts': ['@opentelemetry/api'] }],
  ['undici outside the HTTP client', { 'src/prices/sources/kraken.ts': ['undici'] }],
  ['Node in a package for browsers', { 'packages/console/a.ts': ['node:fs'] }],
  ['the service in a package', { 'packages/sandbox/a.ts': ['../../src/core/clock.ts'] }],
  ['a private module of the client in the console', { 'packages/console/a.ts': ['../client/inside.ts'] }],
])('rejects %s', async (_what, modules) => {
  expect(await check(modules)).toEqual({ code: 1, named: Object.keys(modules) });
});

it('rejects import cycles of files and folders', async () => {
  expect(
    await check({
      'src/core/a.ts': ['./b.ts'],
      'src/core/b.ts': ['./a.ts'],
      'src/prices/latest/a.ts': ['#prices/history/a'],
      'src/prices/history/b.ts': ['#prices/latest/b'],
    }),
  ).toEqual({ code: 1, named: ['src/core', 'src/prices'] });
});
