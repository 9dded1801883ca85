import { iso, isoDate, SECOND, systemClock } from '#core/clock';
import { every } from '#core/every';
import { visible, visibleJson } from '#core/forms/visible-text';

export const number = (value: number) => value.toLocaleString('en');
export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
export const dateOf = (instant: number | null) => (instant === null ? '-' : isoDate(instant));
export const minuteOf = (instant: number | null) => (instant === null ? '-' : `${iso(instant).slice(0, 16)}Z`);

/** Truncates text so that a table fits into a hundred columns. JSON output is not truncated. */
export function cut(text: string | null, width: number): string {
  const characters = [...(text ?? '-')];
  return characters.length <= width ? characters.join('') : `${characters.slice(0, width - 1).join('')}…`;
}

/** Prints a JSON text. Characters that a terminal does not show are written as escapes. */
export const printJsonText = (json: string) => say(visibleJson(json));
export const printJson = (value: unknown) => printJsonText(JSON.stringify(value, null, 2));

/** Prints a part of the result, in place of the progress on a terminal. */
export function print(text: string, stream: NodeJS.WriteStream = process.stdout): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  stream.write(text);
}

export const say = (line: string) => print(`${line}\n`);

/** Prints a line that is not part of the result, such as a failure that does not end the command. */
export const note = (line: string) => print(`${line}\n`, process.stderr);

export const printLines = (lines: readonly (readonly [name: string, value: string | number | null])[]) =>
  print(alignedTable(lines.map(([name, value]) => [`${name}:`, cellText(value ?? '-')])));

export function printFirst(limit: number, kind: string) {
  let count = 0;
  return {
    line(text: string): void {
      count += 1;
      if (count <= limit) note(text);
    },
    rest(): void {
      if (count > limit) note(`… and ${number(count - limit)} more ${kind}`);
    },
  };
}

/** Work that takes longer than this shows its progress. Without a terminal, a line is written at this interval. */
const PATIENCE = 2 * SECOND;

/** The descriptions of the work in progress. The last one is shown. */
const described: (() => string)[] = [];

/**
 * Shows on stderr what a long command is doing, once it has run for two seconds. On a terminal, each text overwrites the
 * last one. A part of the work can describe itself with another call.
 * @param describe the current state, such as `bitcoin: 1,200 rows read`
 */
export async function withProgress<Result>(describe: () => string, work: () => Promise<Result>): Promise<Result> {
  described.push(describe);
  try {
    return await (described.length === 1 ? showingProgress(work) : work());
  } finally {
    described.pop();
  }
}

async function showingProgress<Result>(work: () => Promise<Result>): Promise<Result> {
  const { stderr } = process;
  const startedAt = systemClock.elapsed();
  let isShown = false;
  const show = () => {
    if (systemClock.elapsed() - startedAt < PATIENCE) return;
    const seconds = Math.round((systemClock.elapsed() - startedAt) / SECOND);
    const text = `${visible(described.at(-1)?.() ?? '')} (${number(seconds)} s)`;
    stderr.write(stderr.isTTY ? `\r\u001b[K${text.slice(0, (stderr.columns ?? 80) - 1)}` : `${text}\n`);
    isShown = true;
  };
  const showing = every(stderr.isTTY ? SECOND / 4 : PATIENCE, show, { isUnref: true });
  try {
    return await work();
  } finally {
    await showing.close();
    if (isShown && stderr.isTTY) stderr.write('\r\u001b[K');
  }
}

const cellText = (cell: string | number) => visible(typeof cell === 'number' ? number(cell) : cell);

/**
 * Separates columns by two spaces and aligns numbers to the right. The first row is the heading. Characters that a
 * terminal does not show are written as escapes.
 */
export function alignedTable(rows: readonly (readonly (string | number)[])[]): string {
  const shown = rows.map((row) => row.map(cellText));
  const widths: number[] = [];
  for (const row of shown) {
    for (const [i, text] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, text.length);
  }
  const cellsOf = (i: number) => shown.slice(1).map((row) => row[i] ?? '');
  const isNumeric = widths.map(
    (_, i) => cellsOf(i).some((cell) => /\d/.test(cell)) && cellsOf(i).every((cell) => /^[\d,]*$|^-$/.test(cell)),
  );
  return shown
    .map((row) => {
      const cells = row.map((text, i) => (isNumeric[i] ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0)));
      return `${cells.join('  ').trimEnd()}\n`;
    })
    .join('');
}
