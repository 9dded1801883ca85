import { iso, isoDate } from '#core/clock';

export const dateOf = (instant: number | null) => (instant === null ? '-' : isoDate(instant));
export const minuteOf = (instant: number | null) =>
  instant === null ? '-' : `${iso(instant).slice(0, 16)}Z`;

/** A table stays within a hundred columns: what is cut is whole in JSON. */
export function cut(text: string | null, width: number): string {
  const characters = [...(text ?? '-')];
  return characters.length <= width ? characters.join('') : `${characters.slice(0, width - 1).join('')}…`;
}

export const printJson = (value: unknown) => void process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);

/** Prints names and values, one to a line. */
export const printLines = (lines: readonly (readonly [name: string, value: unknown])[]) =>
  process.stdout.write(alignedTable(lines.map(([name, value]) => [`${name}:`, String(value ?? '-')])));

/** Prints the first lines of a kind, and of the rest how many there are. */
export function printFirst(limit: number, kind: string) {
  let count = 0;
  const print = (text: string) => process.stderr.write(`${text}\n`);
  return {
    line(text: string): void {
      count += 1;
      if (count <= limit) print(text);
    },
    rest(): void {
      if (count > limit) print(`… and ${count - limit} more ${kind}`);
    },
  };
}

/** A line at the terminal that is written over again and again; elsewhere nothing is written but the lines that stay. */
export function progressLine(stream: NodeJS.WriteStream = process.stdout) {
  let isOpen = false;
  const clear = () => {
    if (isOpen) stream.write('\r\u001b[K');
    isOpen = false;
  };
  return {
    show(text: string): void {
      if (!stream.isTTY) return;
      stream.write(`\r\u001b[K${text.slice(0, (stream.columns ?? 80) - 1)}`);
      isOpen = true;
    },
    /** A line that stays. */
    line(text: string): void {
      clear();
      stream.write(`${text}\n`);
    },
    clear,
  };
}

/** Rows as aligned columns, two spaces between them; numbers stand right. The first row is the heading. */
export function alignedTable(rows: readonly (readonly (string | number)[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, String(cell).length);
  }
  const isNumeric = widths.map((_, i) => rows.slice(1).some((row) => typeof row[i] === 'number'));
  return rows
    .map((row) => {
      const cells = row.map((cell, i) => {
        const text = String(cell);
        return isNumeric[i] ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0);
      });
      return `${cells.join('  ').trimEnd()}\n`;
    })
    .join('');
}

/** Aborted by Ctrl-C; the reason is the exit code, by convention 128 plus the number of the signal. */
export function interruption(): AbortSignal {
  const stop = new AbortController();
  // npm passes a Ctrl-C on, so the signal may come twice.
  process.on('SIGINT', () => stop.abort(130));
  process.on('SIGTERM', () => stop.abort(143));
  return stop.signal;
}
