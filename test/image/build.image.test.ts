import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { writeSbom } from '../../scripts/release-artifacts.ts';
import { spawnService } from '../support/service/service-process.ts';

/* Puts together what the image contains, without Docker: the packages that its Dockerfile installs, and the build. */

const OUTPUT = { maxBuffer: 64 * 2 ** 20 };
const COPIED = ['package.json', 'LICENSE', 'prisma/migrations', 'build', 'dist/console', 'dist/operator'];

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
let dockerfile: string;

beforeAll(async () => {
  app = await mkdtemp(join(tmpdir(), 'quotient-image-'));
  dockerfile = await readFile('Dockerfile', 'utf8');
  for (const file of ['package.json', 'package-lock.json']) await cp(file, join(app, file));
  const [, install = ''] = /^RUN (npm ci --omit=dev (?:.*\\\n)*.*)$/m.exec(dockerfile) ?? [];
  expect(install).toContain('npm ci');
  const env = { ...process.env, npm_config_prefer_offline: 'true' };
  await promisify(execFile)('sh', ['-ec', install], { ...OUTPUT, cwd: app, env });
  for (const path of COPIED) await cp(path, join(app, path), { recursive: true });
  // The image has neither the demo nor the stand-ins for the data sources.
  await promisify(execFile)('sh', ['-c', 'rm -r build/sandbox build/cli/demo*'], { cwd: app });
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

it('each command of the operator runs in the image', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
  const { demo: _, ...others } = scripts as Record<string, string>;
  const built = Object.values(others).flatMap((script) => /^node (build\/\S+)$/.exec(script)?.[1] ?? []);
  expect(built.length).toBeGreaterThan(3);
  for (const file of built) {
    const { stdout } = await promisify(execFile)(process.execPath, [file, '--help'], { cwd: app });
    expect(stdout).toContain('npm ');
  }
});

it('the image starts, becomes ready and healthy, serves the console, and stops', async () => {
  const [[, check = ''] = [], [, command = ''] = []] = [...dockerfile.matchAll(/CMD (\["node", .*\])$/gm)];
  const [, ...args] = JSON.parse(command) as string[];
  const env = { NODE_ENV: 'production', HOST: '127.0.0.1', PORT: '0', DATA_DIR: join(app, 'data') };
  const service = spawnService(env, args, { command: process.execPath, cwd: app });
  onTestFinished(() => service.kill());
  const url = /http:\/\/[\d.]+:\d+/.exec(await service.logged(/Server listening at http:/))?.[0] ?? '';
  for (const path of ['/health/ready', '/', '/docs', '/docs/client.md', '/openapi.json'])
    expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
  const [, ...checkArgs] = JSON.parse(check) as string[];
  await promisify(execFile)(process.execPath, checkArgs, { env: { ...env, PORT: new URL(url).port } });
  expect(await service.stop()).toBe(0);
});
