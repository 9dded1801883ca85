import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { USAGE } from './announcement.ts';
import { NODE_ENVIRONMENT, NODE_FLAGS } from './node-flags.ts';

/** Serves, with what the process lacks for it; or prints the usage. Arguments are not repeated: they may hold a secret. */
export async function start(args: readonly string[], serve: () => Promise<unknown>): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(USAGE);
  } else if (args.length > 0) {
    process.stderr.write(
      'the service takes no arguments: its settings are environment variables (see `npm start -- --help`)\n',
    );
    process.exitCode = 2;
  } else if (isLaunched()) {
    stopWithParent();
    await serve();
  } else {
    await launch();
  }
}

/** Whether this process has the flags and the environment already. */
export const isLaunched = () =>
  NODE_FLAGS.every((flag) => process.execArgv.includes(flag)) &&
  Object.keys(NODE_ENVIRONMENT).every((name) => process.env[name] !== undefined);

/**
 * Runs this script again with the flags and the environment, which cannot be set from within. What the operator set
 * goes before ours. The process is replaced, so that signals and limits meet the service itself; where the system has
 * no such call (Windows), a child does the work.
 */
export async function launch(): Promise<void> {
  const env = { ...NODE_ENVIRONMENT, ...process.env };
  // Of two flags of one name, the last one holds.
  const args = [...NODE_FLAGS, ...process.execArgv, ...process.argv.slice(1)];
  // Windows has the function too, which throws there.
  if (process.execve && process.platform !== 'win32') {
    process.execve(process.execPath, [process.execPath, ...args], env);
  }
  process.exitCode = await runChild(args, env);
}

/** Runs a child to its end, and gives its exit code. */
async function runChild(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  // The channel tells the child when this process is gone, however it ended.
  const child = spawn(process.execPath, args, { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  // A terminal gives these to both, and the child decides what they mean.
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGBREAK'] as const) process.on(signal, () => undefined);
  const [code] = (await once(child, 'exit')) as [code: number | null];
  return code ?? 1;
}

/** A child whose parent is gone stops as it does on SIGTERM. */
export function stopWithParent(): void {
  if (!process.connected) return;
  process.once('disconnect', () => {
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(1);
  });
}
