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
    'src/serve.ts': ['#keys/open-keys'],
    'src/users/user-store.ts': ['@prisma/client', '#database/database'],
    'src/prices/latest/latest-routes.ts': ['fastify', '#catalogue/token'],
    'src/upstream/transport/http-client.ts': ['undici', 'node:net'],
  };
  expect(await check(modules)).toEqual({ code: 0, named: [] });
});

it('reports each import that a rule forbids, and each cycle of files or folders', async () => {
  const modules = {
    'src/server/a.ts': ['#gate/gate'],
    'src/node/a.ts': ['#prices/market'],
    'src/node/b.ts': ['#settings'],
    'src/users/users.ts': ['@prisma/client'],
    'src/prices/market.ts': ['fastify'],
    'src/prices/sources/kraken.ts': ['undici'],
    'src/serve.ts': ['@opentelemetry/sdk-trace'],
    'packages/console/a.ts': ['node:fs'],
    'packages/sandbox/a.ts': ['../../src/core/clock.ts'],
  };
  const { code, named } = await check(modules);
  expect([code, named.sort()]).toEqual([1, Object.keys(modules).sort()]);
  const cycles = {
    'src/core/a.ts': ['./b.ts'],
    'src/core/b.ts': ['./a.ts'],
    'src/prices/latest/a.ts': ['#prices/history/a'],
    'src/prices/history/b.ts': ['#prices/latest/b'],
  };
  expect(await check(cycles)).toEqual({ code: 1, named: ['src/core', 'src/prices'] });
});
