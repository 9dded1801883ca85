import { execFile } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { connectTo } from './client.ts';

const docker = async (...args: string[]) => (await promisify(execFile)('docker', args)).stdout.trim();

/** Starts a PostgreSQL server in a container, and waits until it accepts connections. */
export async function startContainer(): Promise<{ url: string; stop(): Promise<unknown> }> {
  const settings = ['--env', 'POSTGRES_HOST_AUTH_METHOD=trust', '--publish', '127.0.0.1::5432'];
  const id = await docker('run', '--detach', '--rm', ...settings, 'postgres:17');
  const stop = () => docker('stop', id);
  const url = `postgresql://postgres@${await docker('port', id, '5432/tcp')}/postgres`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await (await connectTo(url)).end();
      return { url, stop };
    } catch (error) {
      if (attempt === 100) {
        await stop();
        throw error;
      }
      await wait(300);
    }
  }
}
