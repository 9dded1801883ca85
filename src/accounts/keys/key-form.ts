import { z } from 'zod';
import { type Clock, LAST_INSTANT } from '#core/clock';
import { hasHidden } from '#core/visible-text';
import { RESTRICTED_SCOPES, type Scope, sharedScopes } from './api-key.ts';

/* `fix` describes the accepted form. Messages never repeat submitted values. */

/** A trimmed name of one line that a page or a terminal displays completely. */
export const nameOf = (description: string, example: string) =>
  z
    .string()
    .trim()
    .min(1, 'is empty')
    .max(100, 'is too long')
    .refine((text) => !hasHidden(text), 'contains control or invisible characters')
    .refine((text) => text.isWellFormed(), 'contains invalid Unicode')
    .meta({ description, fix: '1 to 100 characters, without control or invisible characters', examples: [example] });

function toScopes(names: readonly string[], context: z.RefinementCtx): readonly Scope[] {
  if (names.length > 0 && names.every((name) => (RESTRICTED_SCOPES as readonly string[]).includes(name)))
    return sharedScopes(names as Scope[]);
  const unknown = names.length === 0 ? 'is empty' : 'contains an unknown scope';
  const message = names.includes('account') ? 'contains account, a scope that only the owner key can have' : unknown;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

const scopes = z
  .string()
  .transform((text, context) =>
    toScopes(
      text.split(',').map((name) => name.trim()),
      context,
    ),
  )
  .default(sharedScopes(['prices']))
  .meta({
    description: 'The scopes of the key',
    fix: `one or more of ${RESTRICTED_SCOPES.join(', ')}, separated by commas`,
    wire: { type: 'string', default: 'prices', examples: ['prices,node'] },
  });

const TIME = 'a future time in ISO 8601 with Z or an offset, such as 2030-01-31T12:00:00Z';
const TIME_EXAMPLES = ['2030-01-31T12:00:00Z'];

const future = (clock: Clock) =>
  z.iso
    .datetime({ offset: true, error: 'must be an ISO 8601 time' })
    .meta({ examples: TIME_EXAMPLES })
    .transform((text) => Date.parse(text))
    .refine((at) => at > clock.now(), 'must be in the future')
    .refine((at) => at <= LAST_INSTANT, 'must not be after the year 9999');

/** The maximum of the database's type. */
const MAX_DAILY_LIMIT = 2_147_483_647;
const LIMIT_RANGE = `must be an integer from 1 to ${MAX_DAILY_LIMIT}`;
const LIMIT_FIX = `an integer from 1 to ${MAX_DAILY_LIMIT}`;

const dailyLimit = z
  .string()
  .regex(/^[1-9]\d{0,9}$/, LIMIT_RANGE)
  .transform(Number)
  .refine((calls) => calls <= MAX_DAILY_LIMIT, LIMIT_RANGE)
  .optional()
  .meta({
    description:
      'The calls that the key is allowed to make per UTC day. If omitted, only the allowance limits the key.',
    fix: LIMIT_FIX,
    wire: { type: 'integer', minimum: 1, maximum: MAX_DAILY_LIMIT, examples: [500] },
  });

const MAX_ORIGINS = 10;
/** The longest DNS name, with a scheme and a port. */
const LONGEST_ORIGIN = 270;
const ORIGIN_FIX = 'origins such as https://example.com: http or https, a host and a port, without a path';

/** Returns an origin as browsers send it in `Origin` (RFC 6454): lower case, ASCII, without the scheme's own port. */
function originIn(text: string): string | undefined {
  // The parser would drop or add what does not belong to an origin.
  if (text.length > LONGEST_ORIGIN || !/^https?:\/\/[^/?#@\\\s]+$/i.test(text)) return undefined;
  const url = URL.parse(text);
  return url && /^([a-z0-9._-]+|\[[\da-f:.]+\])$/.test(url.hostname) ? url.origin : undefined;
}

function toOrigins(texts: readonly string[], context: z.RefinementCtx): readonly string[] {
  const fault = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  if (texts.length > MAX_ORIGINS) return fault(`must contain at most ${MAX_ORIGINS} origins`);
  const origins = new Set<string>();
  for (const [place, text] of texts.entries()) {
    const origin = originIn(text);
    if (origin === undefined) return fault(`contains an entry that is not an origin, at position ${place + 1}`);
    origins.add(origin);
  }
  return [...origins];
}

const allowedOrigins = z
  .string()
  .transform((text, context) =>
    toOrigins(
      text.split(',').map((origin) => origin.trim()),
      context,
    ),
  )
  .optional()
  .meta({
    description:
      'The origins of the web pages that can use the key. Requests from other pages, and requests without `Origin`, ' +
      'are rejected. If omitted, the key can be used from everywhere.',
    fix: `1 to ${MAX_ORIGINS} ${ORIGIN_FIX}, separated by commas`,
    wire: { type: 'string', examples: ['https://shop.example,http://localhost:5173'] },
  });

const label = nameOf('A label for the key', 'shop window');

/** Parses to `label` (trimmed), `scopes`, `expiresAt` (Unix ms), `dailyLimit` and `allowedOrigins`. */
export const keyForm = (clock: Clock) =>
  z.object({
    label,
    scopes,
    expiresAt: future(clock)
      .optional()
      .meta({
        description: "The time at which the key expires. If omitted, the key is valid until the user's plan expires.",
        fix: TIME,
        wire: { type: 'string', format: 'date-time', examples: TIME_EXAMPLES },
      }),
    dailyLimit,
    allowedOrigins,
  });

/** Parses to the members to change: an absent member is undefined, and null removes an expiry, a limit or a restriction. */
export const keyChangesForm = (clock: Clock) =>
  z
    .object({
      label: label.optional(),
      scopes: z
        .array(z.string('must contain only text'), 'must be a list')
        .meta({ examples: [['prices']] })
        .transform(toScopes)
        .optional()
        .meta({
          description: 'The scopes of the key. They cannot be changed for an owner key.',
          fix: `a list of one or more of ${RESTRICTED_SCOPES.join(', ')}`,
        }),
      expiresAt: future(clock)
        .nullable()
        .optional()
        .meta({
          description:
            'The time at which the key expires; null for no expiry of its own. It cannot be changed for an owner key.',
          fix: `${TIME}, or null`,
        }),
      dailyLimit: z
        .int(LIMIT_RANGE)
        .min(1, LIMIT_RANGE)
        .max(MAX_DAILY_LIMIT, LIMIT_RANGE)
        .nullable()
        .optional()
        .meta({
          description: 'The calls that the key is allowed to make per UTC day; null for no limit of its own',
          fix: `${LIMIT_FIX}, or null`,
          examples: [500],
        }),
      allowedOrigins: z
        .array(z.string('must contain only text'), 'must be a list')
        .meta({ examples: [['https://shop.example']] })
        .transform(toOrigins)
        .transform((origins) => (origins.length > 0 ? origins : null))
        .nullable()
        .optional()
        .meta({
          description:
            'The origins of the web pages that can use the key; null or an empty list for no restriction. They cannot ' +
            'be changed for an owner key.',
          fix: `a list of at most ${MAX_ORIGINS} ${ORIGIN_FIX}, or null`,
        }),
    })
    .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
      message: 'contains none of label, scopes, expiresAt, dailyLimit and allowedOrigins',
      params: { fix: 'at least one of these members' },
    });
