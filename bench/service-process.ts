import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { node, nodeEnv, nodeFlags } from './node.ts';

/** The server has a core to itself and all else another, where the machine can say so. */
export const pinned = spawnSync('taskset', ['-c', '0', 'true']).status === 0;

/** What is written before a command that is to run on a core, in words. */
export const pinTo = (core: number): string[] => (pinned ? ['taskset', '-c', String(core)] : []);

export function onCore(core: number, command: string, args: readonly string[]): [string, string[]] {
  const [first = command, ...rest] = [...pinTo(core), command, ...args];
  return [first, rest];
}

type Options = {
  isPinned?: boolean;
  /** In a process group of its own: a Ctrl-C is for who started it, who stops it then. */
  isDetached?: boolean;
  /** Told of every line that it writes to its standard output. */
  onLine?: (line: string) => void;
};

/** A server in a process of its own that prints its URL in its first line with one; with the Node of `npm start`. */
export async function startServer(
  script: string,
  env: Record<string, string>,
  { isPinned = true, isDetached = false, onLine = () => undefined }: Options = {},
) {
  const file = new URL(script, import.meta.url).pathname;
  const flagged = [...nodeFlags, file];
  const [command, args] = isPinned ? onCore(0, node, flagged) : [node, flagged];
  const child: ChildProcess = spawn(command, args, {
    env: { ...process.env, ...nodeEnv, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: isDetached,
  });
  const exited = once(child, 'exit') as Promise<[code: number | null, signal: NodeJS.Signals | null]>;
  const startedAt = performance.now();
  const lines = createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> });
  lines.on('line', onLine);
  const url = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
      if (found) resolve(found);
    });
    lines.once('close', () => reject(new Error(`${script} did not start`)));
  });

  return {
    url,
    pid: child.pid as number,
    /** From the start of the process to the line that tells its URL, in ms. */
    startedIn: performance.now() - startedAt,
    /** Resolves with how it ended. */
    exited,
    /** Asks it to stop (SIGTERM); gives its exit code, null where a signal ended it. */
    async close(): Promise<number | null> {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      return (await exited)[0];
    },
    /** Ends it at once (SIGKILL). */
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

export type Server = Awaited<ReturnType<typeof startServer>>;
