import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../bench/free-port.ts';
import { openEvents } from '../../support/service/event-stream.ts';
import { type Service, startService } from '../../support/service/service.ts';
import { storePrice } from '../../support/service/store-price.ts';

const isInstalled = spawnSync('nginx', ['-v']).status === 0;
if (!isInstalled) console.log('nginx is not installed: streams through it are not tested.');

/** The defaults of nginx, which buffer responses. Only the paths are set, because the test writes nowhere else. */
const configuration = (folder: string, port: number, service: string) => `
daemon off;
worker_processes 1;
pid ${folder}/pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass ${service}; }
  }
}`;

describe.runIf(isInstalled)('through nginx with its default buffering', () => {
  let service: Service;
  let folder: string;
  let nginx: ReturnType<typeof spawn>;
  let url: string;

  beforeAll(async () => {
    service = await startService({ settings: { BURST_PER_SECOND: '0', COINGECKO_REFRESH: 'latest=1h' } });
    folder = await mkdtemp(join(tmpdir(), 'quotient-nginx-'));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    await writeFile(join(folder, 'nginx.conf'), configuration(folder, port, service.url));
    nginx = spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
    const isReady = () =>
      fetch(`${url}/health/live`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!(await isReady())) await wait(20);
  }, 30_000);
  afterAll(async () => {
    nginx?.kill('SIGTERM');
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('events arrive one by one, uncompressed, and the service notices that the client has left', async () => {
    const key = await service.createUser();
    const stream = await openEvents(`${url}/v1/prices/stream?tokenNames=bitcoin`, {
      key,
      headers: { 'accept-encoding': 'gzip' },
    });
    expect([stream.status, stream.headers['content-encoding']]).toEqual([200, undefined]);
    await stream.received(1);
    for (let change = 1; change <= 5; change++) {
      await storePrice(service.database, 'bitcoin', change);
      await service.parts.poll();
      await stream.received(1 + change);
      expect(stream.prices().at(-1).current_price).toBe(change);
    }
    stream.close();
    await expect.poll(() => service.parts.streamFigures.open, { timeout: 10_000 }).toBe(0);
  });
});
