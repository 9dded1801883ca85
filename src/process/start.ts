import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { USAGE } from './announcement.ts';
import { NODE_ENVIRONMENT, NODE_FLAGS } from './node-flags.ts';
import { stopWithParent } from './parent.ts';

/** Prints the usage, or serves with the required flags. Errors never repeat an argument, which may be a secret. */
export async function start(args: readonly string[], serve: () => Promise<unknown>): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(USAGE);
  } else if (args.length > 0) {
    process.stderr.write(
      `the service accepts no arguments: use environment variables for settings (see \`npm start -- --help\`)\n`,
    );
    process.exitCode = 2;
  } else if (isLaunched()) {
    stopWithParent();
    await serve();
  } else {
    await launch();
  }
}

const isLaunched = () =>
  NODE_FLAGS.every((flag) => process.execArgv.includes(flag)) &&
  Object.keys(NODE_ENVIRONMENT).every((name) => process.env[name] !== undefined);

/** Runs a command whose garbage is larger than its data in a small heap. V8 would let the default heap grow first. */
export const withSmallHeap = (run: () => Promise<void>): Promise<void> =>
  isLaunched() ? run() : launch([...NODE_FLAGS, '--max-old-space-size=128']);

/** Restarts the process with flags and variables that are read at start. The operator's values take precedence. */
async function launch(flags: readonly string[] = NODE_FLAGS): Promise<void> {
  const env = { ...NODE_ENVIRONMENT, ...process.env };
  // The last value of a repeated flag applies.
  const args = [...flags, ...process.execArgv, ...process.argv.slice(1)];
  // On Windows, `execve` exists but throws.
  if (process.execve && process.platform !== 'win32') {
    process.execve(process.execPath, [process.execPath, ...args], env);
  }
  process.exitCode = await runChild(args, env);
}

async function runChild(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  // The channel closes when this process ends for any reason.
  const child = spawn(process.execPath, args, { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  // A terminal sends these signals to both processes. The child process handles them.
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGBREAK'] as const) process.on(signal, () => undefined);
  const [code] = (await once(child, 'exit')) as [code: number | null];
  return code ?? 1;
}
