import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { writeSbom } from '../../scripts/release-artifacts.ts';
import { spawnService } from '../support/service/service-process.ts';
import { superfluousFiles } from './contents.ts';
import { makeContext } from './context.ts';
import { parseDockerfile, type Stage } from './dockerfile.ts';
import { buildStages } from './stages.ts';

/*
 * Builds what `docker build` builds, without Docker: runs the Dockerfile's steps in folders, on the files that
 * `.dockerignore` admits.
 */

async function build(work: string) {
  const context = join(work, 'context');
  const strays = await makeContext(context);
  const stages = parseDockerfile(await readFile('Dockerfile', 'utf8'));
  const image = stages.at(-1) as Stage;
  const root = await buildStages(stages, { context, work });
  const inRoot = ([name, value]: [string, string]) => [name, value.startsWith('/') ? root + value : value];
  const env: Record<string, string> = {
    ...Object.fromEntries(Object.entries(image.env).map(inRoot)),
    PATH: join(root, 'usr/local/bin'),
    HOST: '127.0.0.1',
    PORT: '0',
  };
  return { strays, image, app: join(root, 'app'), env };
}

type Component = { group?: string; name: string; components?: Component[] };

/** The names of all components, including nested ones. */
const namesIn = (components: readonly Component[]): Set<string> =>
  new Set(
    components.flatMap(({ group, name, components: nested = [] }) => [
      group ? `${group}/${name}` : name,
      ...namesIn(nested),
    ]),
  );

let work: string;
let building: ReturnType<typeof build>;

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'quotient-image-'));
  building = build(work);
  // Each test reports a failure of the build as its own.
  await building.catch(() => undefined);
}, 300_000);
afterAll(() => rm(work, { recursive: true, force: true }));

it('the build context contains no secrets and no generated files', async () => {
  const { strays } = await building;
  expect(strays).toEqual([]);
});

it('the image contains only what the service requires', async () => {
  const { app } = await building;
  const entries = await readdir(app, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(app.length + 1));
  expect(files).toContain('build/main.js');
  expect(superfluousFiles(files)).toEqual([]);
});

it('the SBOM lists the packages that are installed in the image, and no others', async () => {
  await building;
  const file = join(work, 'sbom.json');
  const folder = join(work, 'stages/packages/app');
  await writeSbom(folder, file);
  const names = namesIn(JSON.parse(await readFile(file, 'utf8')).components);
  const installed = JSON.parse(await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
  const packages = installed.packages as Record<string, { dev?: boolean }>;
  expect(names).toEqual(new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, ''))));
  expect(names).toContain('fastify');
  expect(Object.keys(packages).filter((path) => packages[path]?.dev)).toEqual([]);
  for (const name of ['vitest', 'typescript', '@biomejs/biome']) expect(names).not.toContain(name);
});

it('each command of the operator runs in the image', async () => {
  const { app, env } = await building;
  const { scripts } = JSON.parse(await readFile(join(app, 'package.json'), 'utf8'));
  const { demo, ...others } = scripts as Record<string, string>;
  const built = Object.values(others).flatMap((script) => /^node (build\/\S+)$/.exec(script)?.[1] ?? []);
  expect(built.length).toBeGreaterThan(3);
  for (const file of built) {
    const options = { cwd: app, env };
    const { stdout } = await promisify(execFile)('node', [file, '--help'], options);
    expect(stdout).toContain('npm ');
  }
});

it('the image starts, becomes ready and healthy, serves the console, and stops', async () => {
  const { image, app, env } = await building;
  const [command = '', ...args] = image.command;
  const service = spawnService(env, args, { command, cwd: app });
  onTestFinished(() => service.kill());
  const url = /http:\/\/[\d.]+:\d+/.exec(await service.logged(/Server listening at http:/))?.[0] ?? '';
  for (const path of ['/health/ready', '/', '/docs', '/docs/client.md', '/openapi.json'])
    expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
  const [check = '', ...checkArgs] = image.healthcheck;
  await promisify(execFile)(check, checkArgs, { env: { ...env, PORT: new URL(url).port } });
  expect(await service.stop()).toBe(0);
});
