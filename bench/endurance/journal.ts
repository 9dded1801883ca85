import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The maximum number of faults that are printed for each check. The journal's file contains all faults. */
const PRINTED = 10;

/** Empties a directory. Writes events, with the time since the start, to `journal.log` in it and to standard error. */
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
    /** Records an expected event, which is also printed. */
    report: (text: string): void => write(text, true),
    /** Records details for the analysis of a fault, in the file only. */
    note: (text: string): void => write(text, false),
    /** Records a failed check. */
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
