import { z } from 'zod';
import { LARGEST_NUMBER } from '../api-key.ts';
import { term } from './term.ts';

const RANGE = `must be an integer from 1 to ${LARGEST_NUMBER}`;
const FIX = `an integer from 1 to ${LARGEST_NUMBER}`;

const parameter = z
  .string()
  .regex(/^[1-9]\d{0,9}$/, RANGE)
  .transform(Number)
  .refine((calls) => calls <= LARGEST_NUMBER, RANGE)
  .optional()
  .meta({
    description:
      'The calls that the key is allowed to make per UTC day. If omitted, only the allowance limits the key.',
    fix: FIX,
    wire: { type: 'integer', minimum: 1, maximum: LARGEST_NUMBER, examples: [500] },
  });

const member = z
  .int(RANGE)
  .min(1, RANGE)
  .max(LARGEST_NUMBER, RANGE)
  .nullable()
  .optional()
  .meta({
    description: 'The calls that the key is allowed to make per UTC day; null for no limit of its own',
    fix: `${FIX}, or null`,
    examples: [500],
  });

/** Calls allowed per UTC date. The ledger counts them. */
export const dailyLimit = term({
  column: 'k.daily_limit',
  fromRow: (row: number | null) => row,
  toRow: (value: number | null) => value,
  record: z
    .int()
    .positive()
    .nullable()
    .meta({
      description: 'Calls allowed per UTC day; null if only the allowance limits the key',
      examples: [500],
    }),
  toRecord: (value) => value,
  parameter: () => parameter,
  none: null,
  member: () => member,
  toText: String,
  changeable: 'always',
});
