import { z } from 'zod';

const ISO = 'ISO 8601, UTC, milliseconds';
export const instant = z.iso
  .datetime({ precision: 3 })
  .meta({ description: ISO, examples: ['2026-01-31T12:00:00.000Z'] });
export const describedInstant = (description: string, ...examples: string[]) =>
  instant.meta({ description: `${description}: ${ISO}`, ...(examples.length > 0 && { examples }) });
export const instantOrNull = (description: string) =>
  instant.nullable().meta({ description: `${description}: ${ISO}` });

export const text = (description: string, example: string) => z.string().meta({ description, examples: [example] });
export const textOrNull = (description: string, example: string) =>
  z
    .string()
    .nullable()
    .meta({ description, examples: [example] });
export const recordId = (description: string, example: number) =>
  z
    .int()
    .positive()
    .meta({ description, examples: [example] });
const natural = z.int().nonnegative();
export const whole = (description: string, example: number) => natural.meta({ description, examples: [example] });

/** A boolean in a query. */
export const trueOrFalse = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');

const HTTP_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;
export const httpDate = z
  .string()
  .regex(HTTP_DATE)
  .meta({ description: 'HTTP-date (RFC 9110), GMT', examples: ['Mon, 01 Jan 2024 00:00:00 GMT'] });

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Escapes text for use between tags or in a double-quoted attribute. */
export const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
/** The maximum edit distance at which words of a given length still match. */
export const tolerance = (length: number): number => (length < 3 ? 0 : length < 5 ? 1 : 2);

const FAR = Number.POSITIVE_INFINITY;
/** The edit distance (insert, delete, replace, swap), or Infinity if the distance exceeds `max`. */
export function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return FAR;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = new Array<number>(b.length + 1).fill(FAR);
    row[0] = i;
    let least = i <= max ? i : FAR;
    for (let j = Math.max(1, i - max); j <= Math.min(b.length, i + max); j++) {
      const isSame = a[i - 1] === b[j - 1];
      let apart = Math.min((above[j] ?? FAR) + 1, (row[j - 1] ?? FAR) + 1, (above[j - 1] ?? FAR) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        apart = Math.min(apart, (before[j - 2] ?? FAR) + 1);
      row[j] = apart;
      least = Math.min(least, apart);
    }
    if (least > max) return FAR;
    before = above;
    above = row;
  }
  const apart = above[b.length] ?? FAR;
  return apart <= max ? apart : FAR;
}
