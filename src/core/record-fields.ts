import { z } from 'zod';

/* What members of several records are. */

export const instant = z.iso.datetime({ precision: 3 }).meta({
  description: 'ISO 8601, UTC, milliseconds',
  examples: ['2026-01-31T12:00:00.000Z'],
});

export const text = (description: string, example: string) =>
  z.string().meta({ description, examples: [example] });
export const natural = z.int().nonnegative();
export const whole = (description: string, example: number) =>
  natural.meta({ description, examples: [example] });

const HTTP_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;
export const httpDate = z
  .string()
  .regex(HTTP_DATE)
  .meta({ description: 'HTTP-date (RFC 9110), GMT', examples: ['Mon, 01 Jan 2024 00:00:00 GMT'] });
