import { z } from 'zod';
import { type Clock, iso, isoOrNull, LAST_INSTANT } from '#core/clock';
import { instant } from '#core/forms/record-fields';
import { term } from './term.ts';

const FORM = 'a future time in ISO 8601 with Z or an offset, such as 2030-01-31T12:00:00Z';
const EXAMPLES = ['2030-01-31T12:00:00Z'];

const future = (clock: Clock) =>
  z.iso
    .datetime({ offset: true, error: 'must be an ISO 8601 time' })
    .meta({ examples: EXAMPLES })
    .transform((text) => Date.parse(text))
    .refine((at) => at > clock.now(), 'must be in the future')
    .refine((at) => at <= LAST_INSTANT, 'must not be after the year 9999');

/** The expiry of a key in Unix ms. For a replaced key, this is the end of its grace period. */
export const expiresAt = term({
  column: 'k.expires_at',
  fromRow: (row: Date | null) => row?.getTime() ?? null,
  toRow: (value: number | null) => (value === null ? null : new Date(value)),
  record: instant.nullable().meta({
    description:
      "ISO 8601, UTC, milliseconds; the time at which the key expires; null if the key is valid until the user's plan expires",
  }),
  toRecord: isoOrNull,
  parameter: (clock) =>
    future(clock)
      .optional()
      .meta({
        description: "The time at which the key expires. If omitted, the key is valid until the user's plan expires.",
        fix: FORM,
        wire: { type: 'string', format: 'date-time', examples: EXAMPLES },
      }),
  none: null,
  member: (clock) =>
    future(clock)
      .nullable()
      .optional()
      .meta({
        description:
          'The time at which the key expires; null for no expiry of its own. It cannot be changed for an owner key.',
        fix: `${FORM}, or null`,
      }),
  toText: iso,
  changeable: 'not for owners',
});
