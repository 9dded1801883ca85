import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The server has a core to itself and the load another, where the machine can say so. */
export const pinned = spawnSync('taskset', ['-c', '0', 'true']).status === 0;

export function onCore(core: number, command: string, args: readonly string[]): [string, string[]] {
  return pinned ? ['taskset', ['-c', String(core), command, ...args]] : [command, [...args]];
}

/** A server in a process of its own that prints its URL in its first line with one. */
export async function startServer(script: string, env: Record<string, string>, { isPinned = true } = {}) {
  const file = new URL(script, import.meta.url).pathname;
  const [command, args] = isPinned ? onCore(0, process.execPath, [file]) : [process.execPath, [file]];
  const child: ChildProcess = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const startedAt = performance.now();
  let url: string | undefined;
  for await (const line of createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> })) {
    url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url) break;
  }
  if (!url) throw new Error(`${script} did not start`);
  child.stdout?.resume();

  return {
    url,
    pid: child.pid as number,
    /** From the start of the process to the line that tells its URL, in ms. */
    startedIn: performance.now() - startedAt,
    async close(): Promise<void> {
      if (child.exitCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}

export type Server = Awaited<ReturnType<typeof startServer>>;
