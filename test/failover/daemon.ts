import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, open, readdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PATH } from './programs.ts';

/** PostgreSQL refuses to run as root. */
const USER = 'postgres';
const isRoot = process.getuid?.() === 0;
const idOf = (flag: '-u' | '-g') => Number(spawnSync('id', [flag, USER]).stdout);
const owner = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : undefined;

/** Makes a directory that belongs to the user of the daemons. */
export async function makeDirectory(path: string): Promise<string> {
  await mkdir(path, { mode: 0o700 });
  if (owner) await chown(path, owner.uid, owner.gid);
  return path;
}

/** Starts a program. It also receives SIGTERM when the process of the tests ends without stopping it. */
export async function startDaemon(log: string, command: string, args: readonly string[]) {
  const as = owner ? [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--init-groups'] : [];
  const output = await open(log, 'a');
  const child = spawn('setpriv', [...as, '--pdeathsig=TERM', '--', command, ...args], {
    cwd: dirname(log),
    env: { PATH, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', output.fd, output.fd],
  });
  await output.close();
  const ended = once(child, 'exit');
  return {
    pid: child.pid as number,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async end(signal: NodeJS.Signals): Promise<void> {
      child.kill(signal);
      await ended;
    },
  };
}

export type Daemon = Awaited<ReturnType<typeof startDaemon>>;

/** Sends a signal to a process, if it exists. Returns whether it exists. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if ((error as { code?: string }).code === 'ESRCH') return false;
    throw error;
  }
}

/** Reads the parent from `/proc`, where it follows the program's name in parentheses. */
async function parentOf(pid: string): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return Number(stat.slice(stat.lastIndexOf(')') + 1).split(' ')[2]);
}

export async function childrenOf(pid: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(pids.map(parentOf));
  return pids.filter((_, i) => parents[i] === pid).map(Number);
}
