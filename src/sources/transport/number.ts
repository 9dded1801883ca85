import { z } from 'zod';

/** A number, also one that comes as a text. */
export const numeric = z.union([
  z.number(),
  z
    .string()
    .regex(/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/)
    .transform(Number)
    .pipe(z.number()),
]);

/** A whole number that is not negative and can be held exactly, also one that comes as a text. */
export const whole = numeric.pipe(z.int().nonnegative());

/** A figure that may be missing. */
export const maybe = <T extends z.ZodType>(schema: T) => schema.nullish();

/** A whole number of any length, exactly: as digits, or as a number where that is exact. */
export const digits = z
  .union([z.int().nonnegative(), z.string().regex(/^\d{1,100}$/)])
  .transform((value) => BigInt(value));

/** A point in time, counted from the Unix epoch in units of so many ms; in Unix ms. 0 is none. */
export const instant = (unit: number) =>
  whole
    .transform((value) => value * unit)
    .pipe(z.number().positive().max(8.64e15 /* the last moment a date can be made of */));
