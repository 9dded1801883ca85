import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildClient, packClient } from '../../scripts/build-client.ts';
import { type Service, startService } from '../support/service/service.ts';

const FLAGS = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-update-notifier'];

let folder: string;
let clientFile: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quotient-served-'));
  clientFile = join(folder, 'client.tgz');
  await buildClient(join(folder, 'built'));
  await packClient(join(folder, 'built'), clientFile);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('/client.tgz under a base path', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ settings: { BASE_PATH: '/market' }, clientFile });
  });
  afterAll(() => service?.close());

  it('is installed by npm, and runs the first example of its README', async () => {
    const project = join(folder, 'project');
    await mkdir(project, { recursive: true });
    await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }');
    const run = promisify(execFile);
    const env = { ...process.env, npm_config_cache: join(project, 'cache') };
    await run('npm', ['install', ...FLAGS, `${service.url}/client.tgz`], { cwd: project, env });
    const installed = join(project, 'node_modules/quotient-client');
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    expect(JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))).toMatchObject({ version });
    const [, example = ''] = /^```ts\n(.*?)^```/ms.exec(await readFile(join(installed, 'README.md'), 'utf8')) ?? [];
    await writeFile(join(project, 'first.ts'), example.replaceAll('http://127.0.0.1:8080', service.url));
    const { stdout } = await run(process.execPath, ['first.ts'], { cwd: project });
    expect(stdout).toMatch(/^now \d/);
  });

  it('is cached, and has a validator', async () => {
    const { status, headers } = await service.get('/client.tgz');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/gzip']);
    expect(headers.get('cache-control')).toMatch(/^public, max-age=\d{4,}/);
    const etag = headers.get('etag') ?? '';
    expect((await service.get('/client.tgz', { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  it('is refused to programs that accept only another type', async () => {
    expect((await service.get('/client.tgz', { headers: { accept: 'text/html' } })).status).toBe(406);
    const accept = 'application/octet-stream';
    expect((await service.get('/client.tgz', { headers: { accept } })).headers.get('content-type')).toBe(accept);
  });
});

it('the same sources give the same bytes', async () => {
  const again = join(folder, 'again.tgz');
  await packClient(join(folder, 'built'), again);
  const hash = async (file: string) =>
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
  expect(await hash(again)).toBe(await hash(clientFile));
});

it('without a built client, the path does not exist, and the log states how to build it', async () => {
  const service = await startService({ clientFile: join(folder, 'nowhere.tgz') });
  try {
    const response = await service.get('/client.tgz');
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }]);
    expect(service.logLines.join()).toContain('npm run build:client');
  } finally {
    await service.close();
  }
});
