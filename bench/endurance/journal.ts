import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** So many faults of each check are told at once; all of them are in the journal's file. */
const TOLD = 10;

/** What happened and when, counted from now: on standard error, and in `journal.log` of a directory made anew. */
export function openJournal(directory: string) {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'journal.log');
  const startedAt = performance.now();
  const counts = new Map<string, number>();

  const stamped = (text: string) => {
    const seconds = (performance.now() - startedAt) / 1000;
    const minutes = String(Math.floor(seconds / 60)).padStart(2, '0');
    return `${minutes}:${(seconds % 60).toFixed(1).padStart(4, '0')} ${text}\n`;
  };
  const write = (text: string, isTold: boolean) => {
    const line = stamped(text);
    appendFileSync(file, line);
    if (isTold) process.stderr.write(line);
  };

  return {
    file,
    /** Something that was meant to happen. */
    tell: (text: string): void => write(text, true),
    /** Something that is of use to whoever looks for the reason of a fault. */
    note: (text: string): void => write(text, false),
    /** Something that must not happen. */
    fault(check: string, text: string): void {
      const count = (counts.get(check) ?? 0) + 1;
      counts.set(check, count);
      write(`FAULT (${check}) ${text}`, count <= TOLD);
      if (count === TOLD) process.stderr.write(`more faults of this kind go to ${file} alone\n`);
    },
    faultsOf: (check: string): number => counts.get(check) ?? 0,
    /** A file beside the journal for a process's own log. */
    log(name: string): (line: string) => void {
      const path = join(directory, `${name}.log`);
      return (line) => appendFileSync(path, `${line}\n`);
    },
  };
}

export type Journal = ReturnType<typeof openJournal>;
