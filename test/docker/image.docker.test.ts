import { afterAll, beforeAll, expect, it } from 'vitest';
import service from '../../package.json' with { type: 'json' };
import { superfluousFiles } from './contents.ts';
import { filesOfLayers } from './layers.ts';
import { buildImage, docker, IMAGE, logsOf } from './stack.ts';

const MB = 1_000_000;
/** The maximum size that the image adds to Debian and Node. */
const OWN_SIZE = 60 * MB;
const SIZE = 270 * MB;

const started: string[] = [];

/** Starts the image without other containers, on an embedded database, with a read-only root file system. */
async function start(...options: string[]): Promise<string> {
  const hardened = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges:true'];
  const id = await docker('run', '--detach', ...hardened, ...options, IMAGE);
  started.push(id);
  return id;
}

const inspect = (id: string, field: string) => docker('inspect', id, '--format', `{{${field}}}`);
const run = (...command: string[]) => docker('run', '--rm', '--entrypoint', '', IMAGE, ...command);
const becomesHealthy = (id: string) =>
  expect.poll(() => inspect(id, '.State.Health.Status'), { timeout: 60_000 }).toBe('healthy');

beforeAll(buildImage);
afterAll(async () => {
  if (started.length > 0) await docker('rm', '--force', '--volumes', ...started);
});

it('is small, and does not run as root', async () => {
  const layers = await docker('history', '--human=false', '--format', '{{.Size}} {{.CreatedBy}}', IMAGE);
  const rows = layers.split('\n').map((row) => ({ size: Number.parseInt(row, 10), row }));
  const base = rows.findIndex(({ row }) => row.includes('/usr/local/bin/node'));
  const own = rows.slice(0, base).reduce((sum, { size }) => sum + size, 0);
  expect(own).toBeGreaterThan(10 * MB);
  expect(own).toBeLessThan(OWN_SIZE);
  const size = Number(await docker('image', 'inspect', IMAGE, '--format', '{{.Size}}'));
  expect(size).toBeLessThan(SIZE);
  console.log(`the image: ${Math.round(size / MB)} MB, of which ${Math.round(own / MB)} MB are its own`);
  expect(await run('id', '-u')).toBe('1000');
});

it('contains only the files that the service requires', async () => {
  const list = ['find', '.', '-path', './node_modules/*', '-prune', '-o', '-type', 'f', '-print'];
  const files = (await run(...list)).split('\n').map((file) => file.slice('./'.length));
  expect(files).toContain('build/generated/prisma/client.js');
  expect(files.some((file) => file.startsWith('prisma/migrations/'))).toBe(true);
  expect(superfluousFiles(files)).toEqual([]);

  const packages = (await run('ls', 'node_modules', 'node_modules/@prisma')).split('\n');
  expect(packages).toContain('fastify');
  for (const name of ['node', 'vitest', 'prisma', 'typescript', 'engines']) {
    expect(packages).not.toContain(name);
  }
});

it('has no package manager and no package cache in any layer', async () => {
  const files = await filesOfLayers(IMAGE);
  expect(files).toContain('usr/local/bin/node');
  expect(files).toContain('app/build/cli/quotient.js');
  const programs = /(^|\/)(npm|npx|corepack|yarn|yarnpkg|pnpm)(\/|$)/;
  const caches = /(^|\/)(\.npm|_cacache|\.cache|\.yarn)\/|^var\/lib\/apt\/lists\/.*Packages|\.deb$/;
  expect(files.filter((file) => programs.test(file) || caches.test(file))).toEqual([]);
});

it('has labels with its version, commit, source and licence', async () => {
  const labelsOf = async (image: string) =>
    JSON.parse(await docker('image', 'inspect', image, '--format', '{{json .Config.Labels}}'));
  const labels = { title: 'Quotient', version: service.version, licenses: service.license };
  const named = (all: Record<string, string>) =>
    Object.fromEntries(Object.entries(all).map(([name, value]) => [`org.opencontainers.image.${name}`, value]));
  expect(await labelsOf(IMAGE)).toEqual(named({ ...labels, revision: 'unknown', source: 'unknown' }));

  const given = { revision: '0123abc', source: 'https://example.org/quotient' };
  const args = Object.entries(given).flatMap(([name, value]) => ['--build-arg', `${name.toUpperCase()}=${value}`]);
  await docker('build', '--quiet', ...args, '--tag', `${IMAGE}-labelled`, '.');
  const found = await labelsOf(`${IMAGE}-labelled`);
  await docker('image', 'rm', `${IMAGE}-labelled`);
  expect(found).toEqual(named({ ...labels, ...given }));
});

it('runs without other containers: healthy, with data that outlives it on a volume, and stops on SIGTERM', async () => {
  const first = await start();
  await becomesHealthy(first);
  const list = ['quotient', 'users', 'list'];
  const second = docker('run', '--rm', '--volumes-from', first, IMAGE);
  await expect(second).rejects.toThrow(/the data directory \/data is in use/);
  const register = `fetch('http://127.0.0.1:8080/v1/user/create?name=Ada&email=ada%40example.org&plan=monthly',
    { method: 'POST' }).then(({ status }) => console.log(status))`;
  expect(await docker('exec', first, 'node', '-e', register)).toBe('201');
  const ada = /^ *1 +Ada +ada@example\.org/m;
  expect(await docker('exec', first, ...list)).toMatch(ada);
  await docker('stop', first);
  expect(await inspect(first, '.State.ExitCode')).toBe('0');
  expect(await logsOf(first)).toContain('"signal":"SIGTERM","msg":"stopping"');

  expect(await docker('run', '--rm', '--volumes-from', first, IMAGE, ...list)).toMatch(ada);
});

it('is healthy under a path prefix and on another port', async () => {
  const id = await start('--env', 'BASE_PATH=/market', '--env', 'PORT=9000');
  await becomesHealthy(id);
  await docker('stop', id);
  expect(await inspect(id, '.State.ExitCode')).toBe('0');
});

it('prints one line for invalid settings, and does not start', async () => {
  const refused = docker('run', '--rm', '--env', 'REGISTRATION=perhaps', IMAGE);
  const oneLine = expect.stringMatching(/^REGISTRATION must be .+\n$/);
  await expect(refused).rejects.toMatchObject({ code: 2, stderr: oneLine });
});
