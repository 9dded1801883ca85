import { z } from 'zod';
import type { Clock } from '#core/clock';
import { RESTRICTED_SCOPES, type Scope, sharedScopes } from './api-key.ts';

/* `fix` describes the accepted form. Messages never repeat submitted values. */

const scopes = z
  .string()
  .transform((text, context) => {
    const names = text.split(',').map((name) => name.trim());
    if (names.every((name) => (RESTRICTED_SCOPES as readonly string[]).includes(name)))
      return sharedScopes(names as Scope[]);
    const message = names.includes('account')
      ? 'contains account, a scope that only the owner key can have'
      : 'contains an unknown scope';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .default(sharedScopes(['prices']))
  .meta({
    description: 'The scopes of the key',
    fix: `one or more of ${RESTRICTED_SCOPES.join(', ')}, separated by commas`,
    wire: { type: 'string', default: 'prices', examples: ['prices,node'] },
  });

/** The last instant with a four-digit year in UTC, in Unix ms. With an offset, an accepted text can exceed it. */
const LAST = Date.UTC(10_000, 0) - 1;

const future = (clock: Clock) =>
  z.iso
    .datetime({ offset: true, error: 'must be an ISO 8601 time' })
    .transform((text) => Date.parse(text))
    .refine((at) => at > clock.now(), 'must be in the future')
    .refine((at) => at <= LAST, 'must not be after the year 9999')
    .optional()
    .meta({
      description: "The time at which the key expires. If omitted, the key is valid until the user's plan expires.",
      fix: 'a future time in ISO 8601 with Z or an offset, such as 2030-01-31T12:00:00Z',
      wire: { type: 'string', format: 'date-time', examples: ['2030-01-31T12:00:00Z'] },
    });

/** Parses to `label` (trimmed), `scopes` and `expiresAt` (Unix ms). */
export const keyForm = (clock: Clock) =>
  z.object({ label: nameOf('A label for the key', 'shop window'), scopes, expiresAt: future(clock) });

/** A trimmed name of one line that a page or a terminal can display. */
export const nameOf = (description: string, example: string) =>
  z
    .string()
    .trim()
    .min(1, 'is empty')
    .max(100, 'is too long')
    .refine((text) => !/\p{Cc}/u.test(text), 'contains control characters')
    .refine((text) => text.isWellFormed(), 'contains invalid Unicode')
    .meta({ description, fix: '1 to 100 characters, without control characters', examples: [example] });
