import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECOND } from '#core/clock';
import { startSandbox } from '#sandbox/server';
import { buildClient } from '../../scripts/build-client.ts';
import { type Service, startService } from '../support/service/service.ts';
import { withoutNewer } from './node-18.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');

/** The folder in which only the package is installed. */
let folder: string;
let packed: string[];
let archive: string;
/** The examples of the README. The examples of the service depend on each other. */
let examples: { service: string; commonJs: string; signing: string };

/** Runs a program in the folder and returns its output, or fails with the output. */
const run = (program: string, ...args: string[]) => runWith({}, program, ...args);

async function runWith(own: NodeJS.ProcessEnv, program: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, npm_config_offline: 'true', npm_config_update_notifier: 'false', ...own };
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
  archive = `./${pack?.filename}`;
  await rm(join(folder, 'built'), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await run('npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', archive);
  const readme = await readFile(join(folder, 'node_modules/quotient-client/README.md'), 'utf8');
  const blocks = (language: string) =>
    [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code]) => String(code));
  const typed = blocks('ts');
  examples = {
    service: typed.slice(0, -1).join(''),
    commonJs: String(blocks('js')[0]),
    signing: String(typed.at(-1)),
  };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Installs further packages next to the client. */
async function link(...names: string[]): Promise<void> {
  for (const name of names) {
    const path = join(folder, 'node_modules', name);
    await mkdir(dirname(path), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), path, 'dir');
  }
}

/** Checks the types of a file and, without `skipLibCheck`, of all imported declarations. */
async function checkTypes(
  resolution: 'bundler' | 'nodenext',
  file: string,
  options: Record<string, unknown> = {},
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
      ...options,
    },
    files: [file],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  return run(process.execPath, COMPILER);
}

it('contains the required files, and has no dependencies', async () => {
  const types = ['index.d.cts', 'index.d.ts'];
  const modules = ['chain.js', 'index.cjs', 'index.js', 'transport.js'];
  expect(packed).toEqual(expect.arrayContaining([...types, ...modules]));
  expect(packed).toHaveLength(types.length + modules.length + ['LICENSE', 'README.md', 'package.json'].length);
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

it('has the size that its README states, and excludes the chain code unless it is imported', async () => {
  const bundled = async (names: string) => {
    const entry = join(folder, 'entry.js');
    await writeFile(entry, `export { ${names} } from 'quotient-client';`);
    const build = await rolldown({ input: entry, platform: 'browser' });
    const { output } = await build.generate({ format: 'esm', minify: true });
    await build.close();
    return { code: output[0].code, kilobytes: Math.round(gzipSync(output[0].code).length / 1000) };
  };
  const service = await bundled('QuotientClient, QuotientError');
  const all = await bundled('QuotientClient, QuotientError, ChainClient');
  const readme = await readFile(join(folder, 'node_modules/quotient-client/README.md'), 'utf8');
  const [, ofService, ofAll] = /compressed size is (\d+) KB, or\s(\d+) KB with the chain/.exec(readme) ?? [];
  expect([service.kilobytes, all.kilobytes]).toEqual([Number(ofService), Number(ofAll)]);
  expect(all.code).toContain('cosmos-sdk/');
  expect(service.code).not.toContain('cosmos-sdk/');
});

describe('the examples of the service', () => {
  let service: Service;
  beforeAll(async () => {
    await link('@types/node', 'undici-types');
    service = await startService({ settings: { BASE_PATH: '/market' } });
  });
  afterAll(() => service?.close());

  const withUrl = (code: string) => code.replaceAll('http://127.0.0.1:8080', service.url);

  it.each([
    ['bundler', { types: ['node'] }],
    ['nodenext', { types: ['node'], lib: ['es2022'] }],
  ] as const)('have no type errors: %s %o', async (resolution, options) => {
    await writeFile(join(folder, 'service.ts'), examples.service);
    expect(await checkTypes(resolution, 'service.ts', options)).toBe('');
  });

  it('run', async () => {
    await writeFile(join(folder, 'service.ts'), withUrl(examples.service));
    const lines = (await run(process.execPath, 'service.ts')).trimEnd().split('\n');
    expect(lines[0]).toMatch(/^now \d/);
    expect(lines[1]).toMatch(/^eth \d[\d.]* null$/);
    expect(lines[2]).toMatch(/^sol \d[\d.]* null$/);
    expect(lines[3]).toMatch(/^\d{4}-\d\d-\d\dT00:00:00.000Z \d/);
    expect(lines.slice(3 + 31)).toEqual([
      expect.stringMatching(/^no_data 404 [\w.-]+$/),
      'statistics of BTC',
      expect.stringMatching(/^btc \d[\d.]* from coingecko$/),
      expect.stringMatching(/^sol \d[\d.]* from coingecko$/),
      'page closed',
      'GET /v1/prices/latest/token 200 report-7',
      expect.stringMatching(/^seconds old \d+ from \[ 'coingecko' \]$/),
      expect.stringMatching(/^calls left 99\d\d until \d{4}-/),
      'missing []',
    ]);
    expect(await readFile(join(folder, 'solana.csv'), 'utf8')).toMatch(/^date,price,market_cap,total_volume/);
  });

  it('run as CommonJS, without features that Node 18 does not have', async () => {
    await writeFile(join(folder, 'old.cjs'), withoutNewer);
    await writeFile(join(folder, 'price.cjs'), withUrl(examples.commonJs));
    const env = { QUOTIENT_API_KEY: await service.createUser() };
    expect(await runWith(env, process.execPath, '--require', './old.cjs', 'price.cjs')).toMatch(/^now \d/);
  });
});

describe('the example of signing', () => {
  beforeAll(async () => {
    // Callers install CosmJS themselves.
    await link('@cosmjs', 'cosmjs-types');
  });

  it.each(['bundler', 'nodenext'] as const)('has no type errors: %s', async (resolution) => {
    await writeFile(join(folder, 'signing.ts'), examples.signing);
    // The declarations of CosmJS import a package that is not among its dependencies.
    expect(await checkTypes(resolution, 'signing.ts', { skipLibCheck: true })).toBe('');
  });

  it('runs, and the chain verifies the signature', async () => {
    let readings = 0;
    const now = () => {
      readings += 1;
      return Date.now() + readings * SECOND;
    };
    const nodes = await startSandbox({ clock: { now } });
    try {
      const [from, to] = nodes.chain.accounts;
      const code = examples.signing.replaceAll('http://127.0.0.1:1317', nodes.cosmosNodeUrl);
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
