import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildImage, docker, IMAGE, logsOf } from './stack.ts';

const MB = 1_000_000;
/** What the service may add to the image of Node that it is built on. */
const OWN_SIZE = 60 * MB;

const started: string[] = [];

/** Starts the image alone, on an embedded database, with a root file system that cannot be written to. */
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

it('is small, and nobody is root in it', async () => {
  const layers = await docker('history', '--human=false', '--format', '{{.Size}} {{.CreatedBy}}', IMAGE);
  const rows = layers.split('\n').map((row) => ({ size: Number.parseInt(row, 10), row }));
  const base = rows.findIndex(({ row }) => row.includes('CMD ["node"]'));
  const own = rows.slice(0, base).reduce((sum, { size }) => sum + size, 0);
  expect(own).toBeGreaterThan(10 * MB);
  expect(own).toBeLessThan(OWN_SIZE);
  const size = Number(await docker('image', 'inspect', IMAGE, '--format', '{{.Size}}'));
  console.log(`the image: ${Math.round(size / MB)} MB, of which ${Math.round(own / MB)} MB are its own`);
  expect(await run('id', '-u')).toBe('1000');
});

it('holds what the service runs on, and nothing that only serves to develop it', async () => {
  const files = (
    await run('find', '.', '-path', './node_modules', '-prune', '-o', '-type', 'f', '-print')
  ).split('\n');
  expect(files).toContain('./build/generated/prisma/client.js');
  expect(files.filter((file) => file.startsWith('./prisma/migrations/')).length).toBeGreaterThan(1);
  const rooms = new Set(files.map((file) => file.split('/').slice(1, 3).join('/')));
  for (const room of ['test', 'bench', 'src', 'build/sandbox', 'build/client', '.env', '.git'])
    expect(rooms).not.toContain(room);
  expect(files).not.toContain('./build/cli/demo.js');

  const packages = (await run('ls', 'node_modules', 'node_modules/@prisma')).split('\n');
  expect(packages).toContain('fastify');
  for (const name of ['node', 'vitest', 'prisma', 'typescript', 'testcontainers', 'engines']) {
    expect(packages).not.toContain(name);
  }
});

it('runs alone: healthy, on a volume that outlives it, and it stops when it is told to', async () => {
  const first = await start();
  await becomesHealthy(first);
  const list = ['build/cli/users.js', 'list'];
  await expect(docker('exec', first, 'node', ...list)).rejects.toThrow(/the data directory \/data is in use/);
  const register = `fetch('http://127.0.0.1:8080/v1/user/create?name=Ada&email=ada%40example.org&plan=monthly',
    { method: 'POST' }).then(({ status }) => console.log(status))`;
  expect(await docker('exec', first, 'node', '-e', register)).toBe('201');
  await docker('stop', first);
  expect(await inspect(first, '.State.ExitCode')).toBe('0');
  expect(await logsOf(first)).toContain('"signal":"SIGTERM","msg":"stopping"');

  const second = await docker('run', '--rm', '--volumes-from', first, IMAGE, 'node', ...list);
  expect(second).toMatch(/^ *1 +Ada +ada@example\.org/m);
});

it('is found healthy under a prefix and on another port', async () => {
  const id = await start('--env', 'BASE_PATH=/market', '--env', 'PORT=9000');
  await becomesHealthy(id);
  await docker('stop', id);
  expect(await inspect(id, '.State.ExitCode')).toBe('0');
});

it('refuses wrong settings in a line, and does not start', async () => {
  const refused = docker('run', '--rm', '--env', 'REGISTRATION=perhaps', IMAGE);
  await expect(refused).rejects.toMatchObject({ code: 2, stderr: 'REGISTRATION must be open or closed\n' });
});
