import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';
import { COMPILE_CACHE, SHORT_LIVED } from '../node-arguments.ts';

export type ServiceProcess = Awaited<ReturnType<typeof startServiceProcess>>;

/** A port without a listener. Tests of statistics or candles set their own URLs, so that no public host is called. */
const NOWHERE = Object.fromEntries(
  [
    'KRAKEN_URL',
    'EXCHANGE_RATES_URL',
    'CRYPTOCOMPARE_URL',
    'BITCOIN_STATS_URL',
    'ETHEREUM_STATS_URL',
    'SOLANA_RPC_URL',
    'ARWEAVE_URL',
  ].map((name) => [name, 'http://127.0.0.1:9']),
);

/** The module that starts the service, or that of the command, with all modules that it imports. */
export const bundled = (name: 'serve' | 'quotient'): string => join(inject('serviceBundle'), `${name}.js`);

/** Each listener receives every line until `off` is called. */
type Watcher = (line: string) => void;

/**
 * Starts the service as a separate process on a free port. Rejects with its output if it ends before it listens.
 * @param env its whole environment besides `PATH`: `DATABASE_URL`, `COINGECKO_URL` …
 */
export async function startServiceProcess(env: Readonly<Record<string, string>>, args?: string[]) {
  const service = spawnService(env, args);
  const listening = await service.logged(/Server listening at http:/);
  const url = /http:\/\/[\d.]+:\d+/.exec(listening)?.[0] ?? '';
  return { url, ...service };
}

/** Like `startServiceProcess`, without waiting for it to listen. The other arguments replace the command. */
export function spawnService(
  env: Readonly<Record<string, string>>,
  args = [...SHORT_LIVED, bundled('serve')],
  { command = process.execPath, cwd = process.cwd() } = {},
) {
  const child = spawn(command, args, {
    cwd,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      BURST_PER_SECOND: '0',
      REGISTRATIONS_PER_MINUTE: '0',
      METRICS_PORT: 'off',
      ADMIN_PORT: 'off',
      ...NOWHERE,
      // The build is in a different folder each time, so its compile cache would never be reused.
      ...(args.some((arg) => arg.startsWith(COMPILE_CACHE.NODE_COMPILE_CACHE)) && COMPILE_CACHE),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[code: number | null, signal: NodeJS.Signals | null]>;
  const lines: string[] = [];
  const watchers = new Set<Watcher>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      for (const watch of watchers) watch(line);
    });
  }

  /** Resolves with the first matching line, past or future. Rejects if the process ends without one. */
  function logged(pattern: RegExp): Promise<string> {
    const past = lines.find((line) => pattern.test(line));
    if (past) return Promise.resolve(past);
    return new Promise((resolve, reject) => {
      watchers.add(function watch(line) {
        if (!pattern.test(line)) return;
        watchers.delete(watch);
        resolve(line);
      });
      child.once('close', () => reject(new Error(`ended without ${pattern}:\n${lines.join('\n')}`)));
    });
  }

  return { lines, logged, exited, ...endings(child, exited) };
}

function endings(child: ChildProcess, exited: Promise<[number | null, NodeJS.Signals | null]>) {
  return {
    pid: child.pid as number,
    /** Stops the process (SIGTERM). Returns its exit code. */
    async stop(): Promise<number | null> {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      return (await exited)[0];
    },
    /** Kills the process (SIGKILL). */
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await exited;
    },
    signal: (signal: NodeJS.Signals) => child.kill(signal),
  };
}
