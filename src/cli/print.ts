import { alignedTable } from '#cli/table';
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
