import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { COMPILE_CACHE, SHORT_LIVED } from '../node-arguments.ts';

export type ServiceProcess = Awaited<ReturnType<typeof startServiceProcess>>;

/** Nothing listens there: tests of statistics or candles set their URLs, and no public host is called. */
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

/** Each sees every line until its `off`. */
type Watcher = (line: string) => void;

/**
 * The service as a process of its own, on a free port. Rejects with what it wrote when it ends before it listens.
 * @param env its whole environment besides `PATH`: `DATABASE_URL`, `COINGECKO_URL` …
 */
export async function startServiceProcess(env: Readonly<Record<string, string>>) {
  const service = spawnService(env);
  const listening = await service.logged(/Server listening at http:/);
  const url = /http:\/\/[\d.]+:\d+/.exec(listening)?.[0] ?? '';
  return { url, ...service };
}

/** As `startServiceProcess`, without waiting for it to listen; the rest describes another way to start it. */
export function spawnService(
  env: Readonly<Record<string, string>>,
  args = [...SHORT_LIVED, 'src/serve.ts'],
  { command = process.execPath, cwd = process.cwd() } = {},
) {
  const child = spawn(command, args, {
    cwd,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      BURST_PER_SECOND: '0',
      REGISTRATIONS_PER_MINUTE: '0',
      ...NOWHERE,
      // The build is in another place each time: its compile cache would never be read again.
      ...(args.some((arg) => arg.startsWith('src/')) && COMPILE_CACHE),
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

  /** Resolves with the first line, past or to come, that matches; rejects when the process ends without one. */
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
    /** Asks it to stop (SIGTERM) and gives its exit code. */
    async stop(): Promise<number | null> {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      return (await exited)[0];
    },
    /** Ends it at once (SIGKILL). */
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await exited;
    },
    signal: (signal: NodeJS.Signals) => child.kill(signal),
  };
}
