import { z } from 'zod';

/** What somebody or something is called, trimmed: a line of text that a page or a terminal can show. */
export const nameOf = (description: string, example: string) =>
  z
    .string()
    .trim()
    .min(1, 'is empty')
    .max(100, 'is too long')
    .refine((text) => !/\p{Cc}/u.test(text), 'has control characters')
    .refine((text) => text.isWellFormed(), 'is not well-formed Unicode')
    .meta({
      description,
      fix: '1 to 100 characters, none of them control characters',
      examples: [example],
    });
