import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { type Command, readArguments } from '#cli/arguments';
import { runCommand } from '#cli/command-line';
import { createUserServices } from '#user-services';
import { openDataDirectory } from '../support/database/database.ts';
import { COMPILE_CACHE, SHORT_LIVED } from '../support/node-arguments.ts';
import { bundled } from '../support/service/service-process.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

/** Creates a directory for the data and files of the commands under test. */
export async function makeDirectory() {
  const path = await mkdtemp(join(tmpdir(), 'quotient-command-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/**
 * Creates a directory with an embedded database in `dataDir`, with one user by default. This process keeps the database
 * open, and commands use it through this process. Opening it would take each command a second.
 */
export async function makeServedDirectory({ hasUser = true } = {}) {
  const { path, remove } = await makeDirectory();
  const dataDir = join(path, 'data');
  const database = await openDataDirectory(dataDir);
  const { users } = createUserServices(database.prisma);
  if (hasUser) await users.create({ name: 'Ada', email: 'ada@example.org', plan: 'monthly' });
  return { path, dataDir, database, remove: () => database.close().then(remove) };
}

/** Progress depends on the speed of the machine. */
const withoutProgress = <Output extends { stderr: string }>(output: Output): Output => ({
  ...output,
  stderr: output.stderr.replace(/^.* \([\d,]+ s\)\n/gm, ''),
});

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs a command in this process with the given environment only. */
export async function runHere(name: string, args: readonly string[], env: Record<string, string>) {
  const output = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      output[stream] += text;
      return true;
    }),
  );
  const ours = SIGNALS.map((signal) => process.listeners(signal));
  const { env: own } = process;
  process.env = { ...env };
  try {
    const code = await runCommand([name, ...args]);
    return withoutProgress({ code, ...output });
  } finally {
    process.env = own;
    for (const [i, signal] of SIGNALS.entries()) {
      for (const listener of process.listeners(signal)) if (!ours[i]?.includes(listener)) process.off(signal, listener);
    }
    for (const spy of spies) spy.mockRestore();
  }
}

/** Runs a command in this process, and throws its error. */
export const execute = async (command: Command, args: readonly string[]) =>
  (await command.run(readArguments(args, command))) ?? 0;

/** Starts a command in a separate process, with the given environment and the compile cache only. */
export function startCommand(name: string, args: readonly string[], env: Record<string, string>, cwd = ROOT) {
  const child = spawn(process.execPath, [...SHORT_LIVED, bundled('quotient'), name, ...args], {
    cwd,
    env: { ...COMPILE_CACHE, ...env },
  });
  const output = { stdout: '', stderr: '' };
  const closed = once(child, 'close');
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  }

  return {
    output,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** Writes the rest of the standard input. */
    answer: (text: string) => child.stdin.end(text),
    /** Resolves when the stream matches `wanted`. Rejects if the process ends earlier. */
    async until(stream: 'stdout' | 'stderr', wanted: RegExp): Promise<void> {
      while (!wanted.test(output[stream])) {
        const ended = await Promise.race([once(child[stream], 'data').then(() => false), closed.then(() => true)]);
        if (ended && !wanted.test(output[stream]))
          throw new Error(`the process ended early: ${JSON.stringify(output)}`);
      }
    },
    /** Resolves when the process has ended and all its output has arrived. */
    async ended() {
      const [code] = await closed;
      return withoutProgress({ code: code as number | null, ...output });
    },
  };
}

export const runProcess = (name: string, args: readonly string[], env: Record<string, string>) =>
  startCommand(name, args, env).ended();
