import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { GROUPS } from '#cli/commands';
import { writeSbom } from '../../scripts/release-artifacts.ts';
import { spawnService } from '../support/service/service-process.ts';

/* Puts together what the image contains, without Docker: the packages that its Dockerfile installs, and the build. */

const OUTPUT = { maxBuffer: 64 * 2 ** 20 };
const COPIED = [
  'package.json',
  'LICENSE',
  'prisma/migrations',
  'build',
  'dist/console',
  'dist/operator',
  'dist/client.tgz',
];

type Component = { group?: string; name: string; components?: Component[] };

/** The names of all components, including nested ones. */
const namesIn = (components: readonly Component[]): Set<string> =>
  new Set(
    components.flatMap(({ group, name, components: nested = [] }) => [
      group ? `${group}/${name}` : name,
      ...namesIn(nested),
    ]),
  );

let app: string;
let bin: string;
let dockerfile: string;

beforeAll(async () => {
  app = await mkdtemp(join(tmpdir(), 'quotient-image-'));
  bin = join(app, 'bin');
  await mkdir(bin);
  dockerfile = await readFile('Dockerfile', 'utf8');
  for (const file of ['package.json', 'package-lock.json']) await cp(file, join(app, file));
  const [, install = ''] = /^RUN (npm ci --omit=dev (?:.*\\\n)*.*)$/m.exec(dockerfile) ?? [];
  expect(install).toContain('npm ci');
  const env = { ...process.env, npm_config_prefer_offline: 'true' };
  await promisify(execFile)('sh', ['-ec', install], { ...OUTPUT, cwd: app, env });
  for (const path of COPIED) await cp(path, join(app, path), { recursive: true });
  // The image does not have the simulated data sources of the demo.
  await promisify(execFile)('sh', ['-c', 'rm -r build/sandbox'], { cwd: app });
}, 300_000);
afterAll(() => rm(app, { recursive: true, force: true }));

it('the SBOM lists the packages that are installed in the image, and no others', async () => {
  const file = join(app, 'sbom.json');
  await writeSbom(app, file);
  const names = namesIn(JSON.parse(await readFile(file, 'utf8')).components);
  const installed = JSON.parse(await readFile(join(app, 'node_modules/.package-lock.json'), 'utf8'));
  const packages = installed.packages as Record<string, { dev?: boolean }>;
  // npm also lists the local folder that replaces unused packages.
  const paths = Object.keys(packages).filter((path) => path.includes('node_modules/'));
  expect(names).toEqual(new Set(paths.map((path) => path.replace(/^.*node_modules\//, ''))));
  expect(names).toContain('fastify');
  expect(Object.keys(packages).filter((path) => packages[path]?.dev)).toEqual([]);
  for (const name of ['vitest', 'typescript', '@biomejs/biome']) expect(names).not.toContain(name);
});

it('the command is on the path of the image, with all subcommands except the demo', async () => {
  const [, target = '', link = ''] = /^RUN ln -s \/app\/(\S+) \/usr\/local\/bin\/(quotient)$/m.exec(dockerfile) ?? [];
  await symlink(join(app, target), join(bin, link));
  const env = { PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`, DATA_DIR: join(app, 'data') };
  const run = (...args: string[]) => promisify(execFile)('quotient', args, { cwd: app, env });
  for (const { name } of GROUPS) expect((await run(name, '--help')).stdout).toContain(`quotient ${name}`);
  expect((await run('completion', 'bash')).stdout).toContain('users create');
  await expect(run('demo')).rejects.toMatchObject({ code: 2, stderr: expect.stringMatching(/^[^\n]+\n$/) });
});

it('the package can be installed globally, with the command and the service', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quotient-global-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const env = { ...process.env, npm_config_prefer_offline: 'true' };
  const npm = (...args: string[]) => promisify(execFile)('npm', args, { ...OUTPUT, env });
  await npm('pack', '--ignore-scripts', '--pack-destination', folder);
  const { name, version } = JSON.parse(await readFile('package.json', 'utf8'));
  const packed = join(folder, `${name}-${version}.tgz`);
  await npm('install', '--global', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder, packed);
  const [command, settings] = [join(folder, 'bin/quotient'), { DATA_DIR: join(folder, 'data'), PORT: '0' }];
  const service = spawnService(settings, ['serve'], { command, cwd: folder });
  onTestFinished(() => service.kill());
  const url = /http:\/\/[\d.]+:\d+/.exec(await service.logged(/Server listening at http:/))?.[0] ?? '';
  expect((await fetch(`${url}/`)).status).toBe(200);
  const options = { cwd: folder, env: { PATH: process.env.PATH, ...settings } };
  const ada = ['--name', 'Ada', '--email', 'ada@example.org', '--plan', 'monthly'];
  expect((await promisify(execFile)(command, ['users', 'create', ...ada], options)).stdout).toMatch(/^key: +1$/m);
  expect(await service.stop()).toBe(0);
});

it('the image starts, becomes ready and healthy, serves the console, and stops', async () => {
  const [[, check = ''] = [], [, command = ''] = []] = [...dockerfile.matchAll(/CMD (\["\w+", .*\])$/gm)];
  const [, ...args] = JSON.parse(command) as string[];
  const env = { NODE_ENV: 'production', HOST: '127.0.0.1', PORT: '0', DATA_DIR: join(app, 'data') };
  const service = spawnService(env, [join(bin, 'quotient'), ...args], { command: process.execPath, cwd: app });
  onTestFinished(() => service.kill());
  const url = /http:\/\/[\d.]+:\d+/.exec(await service.logged(/Server listening at http:/))?.[0] ?? '';
  for (const path of ['/health/ready', '/', '/docs', '/docs/client.md', '/openapi.json', '/client.tgz'])
    expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
  const [, ...checkArgs] = JSON.parse(check) as string[];
  await promisify(execFile)(process.execPath, checkArgs, { env: { ...env, PORT: new URL(url).port } });
  expect(await service.stop()).toBe(0);
});
