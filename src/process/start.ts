import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { NODE_ENVIRONMENT, NODE_FLAGS } from './node-flags.ts';

export const isLaunched = () =>
  NODE_FLAGS.every((flag) => process.execArgv.includes(flag)) &&
  Object.keys(NODE_ENVIRONMENT).every((name) => process.env[name] !== undefined);

/** Restarts the process with flags and variables. Where it cannot be replaced, returns a child's exit code. */
export async function launch(flags: readonly string[]): Promise<number> {
  const env = { ...NODE_ENVIRONMENT, ...process.env };
  // The last value of a repeated flag applies.
  const args = [...flags, ...process.execArgv, '--', ...process.argv.slice(1)];
  // On Windows, `execve` exists but throws.
  if (process.execve && process.platform !== 'win32') {
    process.execve(process.execPath, [process.execPath, ...args], env);
  }
  return runChild(args, env);
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
