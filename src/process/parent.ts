import { readFileSync } from 'node:fs';
import { SECOND } from '#core/clock';
import { every } from '#core/every';

const LOOK = SECOND / 4;
const SHELLS: ReadonlySet<string> = new Set(['sh', 'dash', 'bash', 'ash', 'ksh', 'zsh', 'busybox']);

/** The name and the parent of a process, on systems with `/proc`. The name is in parentheses and may contain any text. */
function factsOf(pid: number): { name: string; parent: number } | undefined {
  try {
    const [, name = '', parent] = /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return { name, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

function ancestors(): string {
  const { ppid } = process;
  const processInfo = factsOf(ppid);
  return processInfo && SHELLS.has(processInfo.name) ? `${ppid} ${processInfo.parent}` : `${ppid}`;
}

function stop(): void {
  if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(1);
}

/**
 * Stops this process as SIGTERM would when its parent (on Windows, see `start.ts`) or npm has ended. npm forwards
 * signals only to its shell, which may end while its child keeps running. If npm is killed, it forwards no signal.
 */
export function stopWithParent(): void {
  if (process.connected) process.once('disconnect', stop);
  if (process.env.npm_lifecycle_event === undefined) return;
  const starters = ancestors();
  const looking = every(
    LOOK,
    () => {
      if (ancestors() === starters) return;
      void looking.close();
      stop();
    },
    { isUnref: true },
  );
}
