import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The number of faults of each check that are printed. The journal's file contains all. */
const PRINTED = 10;

/** Writes events with the time since the start to standard error and to `journal.log` in an emptied directory. */
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
  const write = (text: string, isPrinted: boolean) => {
    const line = stamped(text);
    appendFileSync(file, line);
    if (isPrinted) process.stderr.write(line);
  };

  return {
    file,
    /** An expected event. Printed. */
    report: (text: string): void => write(text, true),
    /** Details for the analysis of a fault. Only in the file. */
    note: (text: string): void => write(text, false),
    /** A failed check. */
    fault(check: string, text: string): void {
      const count = (counts.get(check) ?? 0) + 1;
      counts.set(check, count);
      write(`FAULT (${check}) ${text}`, count <= PRINTED);
      if (count === PRINTED) process.stderr.write(`further faults of this kind are only in ${file}\n`);
    },
    faultsOf: (check: string): number => counts.get(check) ?? 0,
    /** Returns a writer for a process's log, in a file next to the journal. */
    log(name: string): (line: string) => void {
      const path = join(directory, `${name}.log`);
      return (line) => appendFileSync(path, `${line}\n`);
    },
  };
}

export type Journal = ReturnType<typeof openJournal>;
