import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { node, nodeEnv, nodeFlags } from './node.ts';

/**
 * Whether processes can be pinned to cores. If so, the server has its own core, and all other processes share another
 * core.
 */
const pinned = spawnSync('taskset', ['-c', '0', 'true']).status === 0;

/** The words that, placed before a command, run the command on a given core. */
export const pinTo = (core: number): string[] => (pinned ? ['taskset', '-c', String(core)] : []);

export function onCore(core: number, command: string, args: readonly string[]): [string, string[]] {
  const [first = command, ...rest] = [...pinTo(core), command, ...args];
  return [first, rest];
}

const BENCH = new URL('..', import.meta.url);

type Options = {
  isPinned?: boolean;
  /** The core of a pinned server: 0 for the measured servers, 1 for the load and upstreams. */
  core?: 0 | 1;
  /** Whether the server has its own process group. If so, Ctrl-C reaches only the parent, which stops the server. */
  isDetached?: boolean;
  /** A function that is called with every line of standard output. */
  onLine?: (line: string) => void;
};

/**
 * Starts a server in a separate process, which prints its URL alone, or as the service logs it.
 * @param script a file, relative to the folder `bench`
 */
export async function startServer(
  script: string,
  env: Record<string, string>,
  { isPinned = true, core = 0, isDetached = false, onLine = () => undefined }: Options = {},
) {
  const file = new URL(script, BENCH).pathname;
  const flagged = [...nodeFlags, file];
  const [command, args] = isPinned ? onCore(core, node, flagged) : [node, flagged];
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
      const [, found] = /(?:^|Server listening at )(http:\/\/127\.0\.0\.1:\d+)/.exec(line) ?? [];
      if (found) resolve(found);
    });
    lines.once('close', () => reject(new Error(`${script} did not start`)));
  });

  return {
    url,
    pid: child.pid as number,
    /** The time from the start of the process to the line with its URL, in ms. */
    startedIn: performance.now() - startedAt,
    /** Resolves with the exit code and the signal. */
    exited,
    /** Stops the server (SIGTERM). Returns the exit code, or null if a signal ended the process. */
    async close(): Promise<number | null> {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      return (await exited)[0];
    },
    /** Kills the server (SIGKILL). */
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

export type Server = Awaited<ReturnType<typeof startServer>>;
