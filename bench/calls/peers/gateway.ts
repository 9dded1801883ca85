import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../stand/free-port.ts';
import { onCore } from '../../stand/service-process.ts';

/** The folder in which Debian installs nginx modules. */
const MODULES = '/usr/lib/nginx/modules';
const PEERS = new URL('.', import.meta.url).pathname;
const READY_WITHIN_MS = 5_000;

/** The reason why the gateway cannot be started; undefined if it can be started. */
export function missingForGateway(): string | undefined {
  if (spawnSync('nginx', ['-v']).status !== 0) return 'nginx is not installed (nginx-light)';
  const isInstalled = existsSync(join(MODULES, 'ngx_http_lua_module.so'));
  return isInstalled ? undefined : 'nginx has no Lua module (libnginx-mod-http-lua)';
}

type Options = {
  /** The URL of the origin server: `http://host:port`. */
  upstream: string;
  keys: readonly string[];
  /** Calls allowed for each key. */
  limit: number;
};

/** Starts nginx with Lua as a gateway, with one worker on the servers' core, in a temporary directory. */
export async function startGateway({ upstream, keys, limit }: Options) {
  const directory = await mkdtemp(join(tmpdir(), 'quotient-gateway-'));
  const port = await freePort();
  const values: Record<string, string> = {
    MODULES,
    PEERS,
    PORT: String(port),
    UPSTREAM: new URL(upstream).host,
    KEYS: join(directory, 'keys'),
  };
  await writeFile(join(directory, 'keys'), keys.map((key) => `${key} ${limit}\n`).join(''));
  const template = await readFile(join(PEERS, 'gateway.conf'), 'utf8');
  const config = join(directory, 'gateway.conf');
  await writeFile(
    config,
    template.replace(/@([A-Z]+)@/g, (_, name: string) => values[name] ?? ''),
  );

  // nginx opens its built-in log path before it reads the configuration.
  const args = ['-p', `${directory}/`, '-c', config, '-e', 'stderr'];
  const child = spawn(...onCore(0, 'nginx', args), { stdio: ['ignore', 'inherit', 'inherit'] });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const deadline = performance.now() + READY_WITHIN_MS;
  const isReady = () =>
    fetch(url, { headers: { 'x-api-key': keys[0] ?? '' } }).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill();
      throw new Error('the gateway did not start');
    }
    await wait(20);
  }

  return {
    url,
    async close(): Promise<void> {
      child.kill('SIGTERM');
      await exited;
      await rm(directory, { recursive: true });
    },
  };
}
