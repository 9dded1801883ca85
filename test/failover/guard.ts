import { spawn } from 'node:child_process';
import { readdirSync, readlinkSync, rmSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { signal } from './daemon.ts';

/*
 * Run as a program, waits until the test process ends. Then ends the processes of a cluster and deletes its folder.
 * Otherwise, interrupted tests would leave paused processes behind, which no other signal ends.
 */

const PROGRAM = fileURLToPath(import.meta.url);

/** Starts the guard of a folder, in which its processes run. */
export function startGuard(folder: string) {
  const guard = spawn(process.execPath, [PROGRAM, folder], { detached: true, stdio: ['pipe', 'ignore', 'inherit'] });
  return { close: async () => void guard.kill('SIGKILL') };
}

/** Whether a process runs in a folder or below it. */
function runsIn(folder: string, pid: string): boolean {
  try {
    return `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`);
  } catch {
    return false; // it has ended
  }
}

if (import.meta.main) {
  const [, , folder = ''] = process.argv;
  await text(process.stdin);
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (runsIn(folder, pid)) signal(Number(pid), 'SIGKILL');
  }
  rmSync(folder, { recursive: true, force: true });
}
