import { z } from 'zod';

/** How a number is written that comes as a text. */
export const NUMERIC = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** A number, also one that comes as a text. */
export const numeric = z.union([z.number(), z.string().regex(NUMERIC).transform(Number).pipe(z.number())]);

/**
 * A list of so many elements at most, counted before they are looked at; of those that are wrong the first alone is
 * told.
 */
export const listOf = <T>(element: z.ZodType<T>, most: number) =>
  z
    .array(z.unknown())
    .max(most)
    .transform((elements, context) => {
      const read: T[] = [];
      for (const [place, one] of elements.entries()) {
        const { data, error } = element.safeParse(one);
        if (error) {
          const [issue] = error.issues;
          context.addIssue({
            code: 'custom',
            path: [place, ...(issue?.path ?? [])],
            message: issue?.message,
          });
          return z.NEVER;
        }
        read.push(data);
      }
      return read;
    });

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
