import { z } from 'zod';
import { describedInstant, instant, recordId, text, textOrNull, whole } from '#core/forms/record-fields';
import { API_KEY_PATTERN } from '#core/log';
import { PLAN_NAMES } from './plan.ts';

export const secretKey = (description: string) =>
  z.string().meta({
    description,
    pattern: `^${API_KEY_PATTERN}$`,
    examples: ['qt_EXAMPLEEXAMPLEEXAMPLEEXAMPLEKEYS000000'],
  });

export const userRecord = z
  .object({
    key: recordId('The record number of the user', 1),
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

const forAccount = (example: string) => textOrNull('Null if the key does not have the `account` scope', example);

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
      description: 'The ID of the key; null for calls that were recorded without a key',
      examples: [7],
    }),
  label: textOrNull(
    'The label of the key; null if none was set or the key has been deleted, and for a key without the `account` scope',
    'shop window',
  ),
  start: textOrNull('The first characters of the key; null in the same cases', 'qt_EXAM'),
  ...part,
});

const usageOfPath = z.object({
  path: textOrNull('The path; null for calls that were recorded without a path', '/v1/prices/latest/token'),
  ...part,
});

export const usageRecord = z
  .object({
    limit: whole('Calls allowed per period', 10000),
    used: whole('Calls charged in the current period', 877),
    remaining: whole('Calls left in the current period', 9123),
    periodStart: describedInstant('The start of the current period', '2026-01-15T12:00:00.000Z'),
    resetsAt: describedInstant('The start of the next period', '2026-02-15T12:00:00.000Z'),
    validUntil: describedInstant('The time at which the keys expire', '2026-04-15T12:00:00.000Z'),
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

const row = z.record(z.string(), z.unknown());
const rows = (description: string) => z.array(row).meta({ description });

export const userExport = z
  .object({
    exportedAt: instant,
    user: row.meta({ description: 'The user, with the address as registered' }),
    keys: rows('All stored keys, including ended ones, without the keys themselves'),
    periods: rows('Calls per period, including those that processes of the service reserve (see `leases`)'),
    credits: rows('Additional calls that the operator granted'),
    activity: row.nullable().meta({ description: 'A summary of the calls, by which the operator sorts users' }),
    operatorChanges: rows('The changes that the operator made to the user'),
    days: rows('Calls per UTC date, without those in `leases`'),
    details: rows('Calls per UTC date, key and path'),
    leases: rows(
      'Calls that processes of the service reserve for the user: `granted`, of which `spent` have been made',
    ),
    tokenRequests: rows('Unknown tokens that the keys of the user requested in the last hour'),
    noticeSettings: row.nullable().meta({ description: 'The notice settings; null for the defaults' }),
    notices: rows('The notices of the last 400 days'),
    webhookDeliveries: rows('The deliveries of webhooks of the last 30 days, with their bodies'),
    messages: rows('Messages that have not been delivered'),
    oneTimeCodes: rows('Mailed one-time codes that have not been used, without the codes'),
  })
  .meta({ id: 'UserExport', description: 'Everything that is stored about a user, without secrets' });

export const registrationPending = z
  .object({
    email: z.string().meta({ examples: ['ada@example.org'] }),
    expiresAt: instant.meta({
      description: 'ISO 8601, UTC, milliseconds; the time at which the one-time code in the email expires',
    }),
  })
  .meta({
    id: 'RegistrationPending',
    description: 'A registration before its email address is verified. The user does not exist yet.',
  });
export type RegistrationPending = z.infer<typeof registrationPending>;
