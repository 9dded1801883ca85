import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { freePort } from '../../stand/free-port.ts';
import { onCore } from '../../stand/service-process.ts';

const run = promisify(execFile);

/** Sums the counters of `@fastify/rate-limit`. */
const SUM = `local sum = 0
for _, key in ipairs(redis.call('keys', 'fastify-rate-limit-*')) do sum = sum + redis.call('get', key) end
return sum`;

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

/** Starts Redis with its default settings on the core of the load, in a temporary directory. */
export async function startRedis() {
  const directory = await mkdtemp(join(tmpdir(), 'quotient-redis-'));
  const port = String(await freePort());
  const args = ['--port', port, '--bind', '127.0.0.1', '--dir', directory];
  const child = spawn(...onCore(1, 'redis-server', args), { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('Ready to accept')) break;
  child.stdout.resume();
  return {
    url: `redis://127.0.0.1:${port}`,
    /** The calls that the counters contain. */
    counted: async () => Number((await run('redis-cli', ['-p', port, 'EVAL', SUM, '0'])).stdout),
    async close(): Promise<void> {
      child.kill('SIGTERM');
      await exited;
      await rm(directory, { recursive: true });
    },
  };
}
