import { z } from 'zod';
import { SCOPES } from '#accounts/keys/api-key';
import { PLAN_NAMES } from '#accounts/ledger/plan';
import { instant, text, whole } from '#core/record-fields';

const secretKey = (description: string) =>
  z.string().meta({
    description,
    pattern: '^qt_[0-9A-Za-z]{38}$',
    examples: ['qt_EXAMPLEEXAMPLEEXAMPLEEXAMPLEKEYS000000'],
  });

const MOMENT = 'ISO 8601, UTC, milliseconds; ';
const at = (description: string, example: string) =>
  instant.meta({ description: `${description}: ISO 8601, UTC, milliseconds`, examples: [example] });

export const userRecord = z
  .object({
    key: z
      .int()
      .positive()
      .meta({ description: 'The record number of the user', examples: [1] }),
    name: z.string().meta({ examples: ['Ada Lovelace'] }),
    email: z.string().meta({ examples: ['ada@example.org'] }),
    apiKey: secretKey(
      'The key in the request, or the new key. A new key is returned only once, because the service stores only its hash.',
    ),
    plan: z.enum(PLAN_NAMES),
    limit: whole('Calls allowed per period', 10000),
    createdAt: instant,
    validUntil: instant.meta({
      description:
        'The time at which the keys expire: ISO 8601, UTC, milliseconds. A period always ends at this time. `POST /v1/user/renew` extends it by one period.',
      examples: ['2026-02-28T12:00:00.000Z'],
    }),
    updatedAt: instant,
  })
  .meta({ id: 'User', description: 'A user, with an API key' });
export type UserRecord = z.infer<typeof userRecord>;

const forAccount = (example: string) =>
  z
    .string()
    .nullable()
    .meta({ description: 'Null if the key does not have the `account` scope', examples: [example] });

const suspended = text(
  'Why the operator suspended the user, whose calls are rejected with `account_suspended`; omitted if the user is not suspended',
  'Unusual traffic: contact us.',
).optional();

export const userOfKey = userRecord
  .extend({ name: forAccount('Ada Lovelace'), email: forAccount('ada@example.org'), suspended })
  .meta({ id: 'UserOfKey', description: 'The user of a key, without the members that the key cannot read' });
export type UserOfKey = z.infer<typeof userOfKey>;

const days = (description: string) =>
  z.array(z.object({ date: z.iso.date(), calls: whole('Calls charged on this date', 42) })).meta({ description });
const part = { calls: whole('Calls charged on these dates', 42), daily: days('Calls per UTC date, newest first') };

const usageOfKey = z.object({
  id: z
    .int()
    .positive()
    .nullable()
    .meta({
      description: 'The ID of the key; null for calls whose key was not recorded, as by an earlier release',
      examples: [7],
    }),
  label: z
    .string()
    .nullable()
    .meta({
      description:
        'The label of the key; null if none was set or the key has been deleted, and for a key without the `account` scope',
      examples: ['shop window'],
    }),
  start: z
    .string()
    .nullable()
    .meta({ description: 'The first characters of the key; null in the same cases', examples: ['qt_EXAM'] }),
  ...part,
});

const usageOfPath = z.object({
  path: z
    .string()
    .nullable()
    .meta({
      description: 'The path; null for calls whose path was not recorded, as by an earlier release',
      examples: ['/v1/prices/latest/token'],
    }),
  ...part,
});

export const usageRecord = z
  .object({
    limit: whole('Calls allowed per period', 10000),
    used: whole('Calls charged in the current period', 877),
    remaining: whole('Calls left in the current period', 9123),
    periodStart: at('The start of the current period', '2026-01-15T12:00:00.000Z'),
    resetsAt: at('The start of the next period', '2026-02-15T12:00:00.000Z'),
    validUntil: at('The time at which the keys expire', '2026-04-15T12:00:00.000Z'),
    daily: days('Calls charged per UTC date, newest first, up to 31 dates'),
    keys: z
      .array(usageOfKey)
      .optional()
      .meta({ description: 'With `by=key`: the same calls by key. The sum over all keys is `daily`.' }),
    paths: z
      .array(usageOfPath)
      .optional()
      .meta({ description: 'With `by=path`: the same calls by path. The sum over all paths is `daily`.' }),
    suspended,
  })
  .meta({ id: 'Usage', description: 'The numbers of used and remaining calls' });
export type UsageRecord = z.infer<typeof usageRecord>;

const keyNumber = z
  .int()
  .positive()
  .meta({ description: 'The ID of the key', examples: [7] });
const keyLabel = text('A label for the key', 'shop window');
const keyScopes = z
  .array(z.enum(SCOPES))
  .meta({ description: 'The scopes of the key. The owner key has all scopes.', examples: [['prices']] });
const keyStart = text('The first characters of the key, to identify it', 'qt_EXAM');
const expiresAt = instant.nullable().meta({
  description: `${MOMENT}the time at which the key expires; null if the key is valid until the user's plan expires`,
});

const dailyLimit = z
  .int()
  .positive()
  .nullable()
  .meta({
    description: 'Calls allowed per UTC day; null if only the allowance limits the key',
    examples: [500],
  });

const allowedOrigins = z
  .array(z.string())
  .nullable()
  .meta({
    description: 'The origins of the web pages that can use the key; null if the key can be used from everywhere',
    examples: [['https://shop.example']],
  });

export const apiKeyRecord = z
  .object({
    id: keyNumber,
    label: z
      .string()
      .nullable()
      .meta({ description: 'The label of the key; null if none was set', examples: ['shop window'] }),
    scopes: keyScopes,
    start: z
      .string()
      .nullable()
      .meta({
        description: 'The first characters of the key, to identify it; null for keys that are older than this member',
        examples: ['qt_EXAM'],
      }),
    createdAt: instant,
    lastUsedAt: instant.nullable().meta({
      description: `${MOMENT}the time of the last use, accurate to the minute; null if the key has not been used`,
    }),
    expiresAt,
    dailyLimit,
    allowedOrigins,
    replacedAt: instant.nullable().meta({
      description: `${MOMENT}the time at which the key was replaced; null if it was not replaced. A replaced key can only read data.`,
    }),
    seenOrigin: text(
      'The origin of the last web page on another site that used this owner key; omitted if no such page used it',
      'https://shop.example',
    ).optional(),
  })
  .meta({ id: 'ApiKey', description: 'The properties of a key. The key itself is never listed.' });
export type ApiKeyRecord = z.infer<typeof apiKeyRecord>;

export const createdKeyRecord = z
  .object({
    id: keyNumber,
    label: keyLabel,
    scopes: keyScopes,
    apiKey: secretKey('The key. It is returned only once, because the service stores only its hash.'),
    start: keyStart,
    createdAt: instant,
    expiresAt,
    dailyLimit,
    allowedOrigins,
  })
  .meta({ id: 'CreatedKey', description: 'A new key' });
export type CreatedKeyRecord = z.infer<typeof createdKeyRecord>;

const row = z.record(z.string(), z.unknown());
const rows = (description: string) => z.array(row).meta({ description });

export const userExport = z
  .object({
    exportedAt: instant,
    user: row.meta({ description: 'The user, with the address as registered' }),
    keys: rows('All stored keys, including ended ones, without the keys themselves'),
    periods: rows('Calls per period'),
    credits: rows('Additional calls that the operator granted'),
    activity: row.nullable().meta({ description: 'A summary of the calls, by which the operator sorts users' }),
    operatorChanges: rows('The changes that the operator made to the user'),
    days: rows('Calls per UTC date'),
    details: rows('Calls per UTC date, key and path'),
    leases: rows('Calls that processes of the service reserve for the user'),
    noticeSettings: row.nullable().meta({ description: 'The notice settings; null for the defaults' }),
    notices: rows('The notices of the last 400 days'),
    webhookDeliveries: rows('The deliveries of webhooks of the last 30 days, with their bodies'),
    messages: rows('Messages that have not been delivered'),
    oneTimeCodes: rows('Mailed one-time codes that have not been used, without the codes'),
  })
  .meta({ id: 'UserExport', description: 'Everything that is stored about a user, without secrets' });
export type UserExport = z.infer<typeof userExport>;

export const registrationPending = z
  .object({
    email: z.string().meta({ examples: ['ada@example.org'] }),
    expiresAt: instant.meta({ description: `${MOMENT}the time at which the one-time code in the email expires` }),
  })
  .meta({
    id: 'RegistrationPending',
    description: 'A registration before its email address is verified. The user does not exist yet.',
  });
export type RegistrationPending = z.infer<typeof registrationPending>;
