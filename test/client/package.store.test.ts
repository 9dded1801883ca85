import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECOND } from '#domain/clock';
import { startSandbox } from '#sandbox/server';
import { buildClient } from '../../scripts/build-client.ts';
import { startService } from '../support/service/service.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');

/** Where the package is installed, and nothing else. */
let folder: string;
let packed: string[];
/** The examples of its README, in their order. */
let examples: string[];

/** Runs a program in the folder; gives what it printed, or fails with all of it. */
async function run(program: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, npm_config_offline: 'true', npm_config_update_notifier: 'false' };
  const { stdout } = await promisify(execFile)(program, args, { cwd: folder, env }).catch((failed) =>
    expect.fail(`${args.join(' ')}\n${failed.stdout}\n${failed.stderr}`),
  );
  return stdout;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quotient-package-'));
  await buildClient(join(folder, 'built'));
  const [pack] = JSON.parse(await run('npm', 'pack', './built', '--json')) as {
    filename: string;
    files: { path: string }[];
  }[];
  packed = pack?.files.map(({ path }) => path) ?? [];
  await rm(join(folder, 'built'), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await run('npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', `./${pack?.filename}`);
  const readme = await readFile(join(folder, 'node_modules/quotient-client/README.md'), 'utf8');
  examples = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => String(code));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Checks the types of a file and, unless `skipLibCheck`, of all the declarations that it leads to. */
async function checkTypes(
  resolution: 'bundler' | 'nodenext',
  file: string,
  { skipLibCheck = false } = {},
): Promise<string> {
  const config = {
    compilerOptions: {
      target: 'es2022',
      lib: ['es2022', 'dom'],
      types: [],
      module: resolution === 'bundler' ? 'esnext' : 'nodenext',
      moduleResolution: resolution,
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck,
    },
    files: [file],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  return run(process.execPath, COMPILER);
}

it('has what it needs, and no dependency', async () => {
  expect(packed.sort()).toEqual(['LICENSE', 'README.md', 'index.d.ts', 'index.js', 'package.json']);
  const installed = await readdir(join(folder, 'node_modules'));
  expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['quotient-client']);
  const read = (path: string) => readFile(path, 'utf8').then(JSON.parse);
  const own = await read(join(folder, 'node_modules/quotient-client/package.json'));
  expect(own).toMatchObject({
    type: 'module',
    license: 'MIT',
    sideEffects: false,
    engines: { node: '>=18' },
  });
  expect(own.version).toBe((await read(join(ROOT, 'package.json'))).version);
  for (const kind of ['dependencies', 'peerDependencies', 'private']) expect(own).not.toHaveProperty(kind);
});

describe('the example of prices', () => {
  it.each(['bundler', 'nodenext'] as const)('has the right types: %s', async (resolution) => {
    await writeFile(join(folder, 'prices.ts'), String(examples[0]));
    expect(await checkTypes(resolution, 'prices.ts')).toBe('');
  });

  it('runs', async () => {
    const service = await startService({ settings: { BASE_PATH: '/market' } });
    try {
      const code = String(examples[0]).replaceAll('http://127.0.0.1:8080', service.url);
      expect(code).toContain(service.url);
      await writeFile(join(folder, 'prices.js'), code);
      const lines = (await run(process.execPath, 'prices.js')).trimEnd().split('\n');
      expect(lines).toHaveLength(1 + 2 + 31 + 3);
      expect(lines[0]).toMatch(/^now \d/);
      expect(lines[1]).toMatch(/^eth \d[\d.]* null$/);
      expect(lines[2]).toMatch(/^sol \d[\d.]* null$/);
      expect(lines[3]).toMatch(/^\d{4}-\d\d-\d\dT00:00:00.000Z \d/);
      expect(lines.at(-1)).toMatch(/^no_data 404 [\w.-]+$/);
    } finally {
      await service.close();
    }
  });
});

describe('the example of signing', () => {
  beforeAll(async () => {
    await mkdir(join(folder, 'node_modules'), { recursive: true });
    // CosmJS is the caller's own: it stands in for one that was installed beside the client.
    for (const name of ['@cosmjs', 'cosmjs-types']) {
      await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name), 'dir');
    }
  });

  it.each(['bundler', 'nodenext'] as const)('has the right types: %s', async (resolution) => {
    await writeFile(join(folder, 'signing.ts'), String(examples[1]));
    // The declarations of CosmJS name a package that it does not bring along.
    expect(await checkTypes(resolution, 'signing.ts', { skipLibCheck: true })).toBe('');
  });

  it('runs, and the chain verifies the signature', async () => {
    let looks = 0;
    const now = () => {
      looks += 1;
      return Date.now() + looks * SECOND;
    };
    const nodes = await startSandbox({ clock: { now, elapsed: () => performance.now() } });
    try {
      const [from, to] = nodes.chain.accounts;
      const code = String(examples[1]).replaceAll('http://127.0.0.1:1317', nodes.cosmosNodeUrl);
      await writeFile(join(folder, 'signing.ts'), code);
      await writeFile(
        join(folder, 'run.ts'),
        `import { DirectSecp256k1Wallet } from '@cosmjs/proto-signing';
         import { send } from './signing.ts';
         const key = Uint8Array.from(${JSON.stringify([...(from?.privateKey ?? [])])});
         const wallet = await DirectSecp256k1Wallet.fromKey(key, 'cosmos');
         console.log(JSON.stringify(await send(wallet, '${to?.address}', '12345')));`,
      );
      const sent = JSON.parse(await run(process.execPath, 'run.ts'));
      expect(Number(sent.height)).toBeGreaterThan(0);
      expect(sent.link).toMatch(/^https:\/\/www\.mintscan\.io\/cosmos-testnet\/transactions\/[0-9A-F]{64}$/);
    } finally {
      await nodes.close();
    }
  });
});
