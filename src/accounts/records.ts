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
      .meta({ description: 'The record number', examples: [1] }),
    name: z.string().meta({ examples: ['Ada Lovelace'] }),
    email: z.string().meta({ examples: ['ada@example.org'] }),
    apiKey: secretKey(
      'The key in the request, or the new key. A new key is returned only once, because only its hash is stored.',
    ),
    plan: z.enum(PLAN_NAMES),
    limit: whole('Calls allowed per period', 10000),
    createdAt: instant,
    validUntil: instant.meta({
      description:
        'When the keys expire, exclusive: ISO 8601, UTC, milliseconds. Always a period boundary; `POST /v1/user/renew` moves it.',
      examples: ['2026-02-28T12:00:00.000Z'],
    }),
    updatedAt: instant,
  })
  .meta({ id: 'User', description: 'A user, and the key in the request' });
export type UserRecord = z.infer<typeof userRecord>;

const forAccount = (example: string) =>
  z
    .string()
    .nullable()
    .meta({ description: 'Null for a key without the `account` scope', examples: [example] });

export const userOfKey = userRecord
  .extend({ name: forAccount('Ada Lovelace'), email: forAccount('ada@example.org') })
  .meta({ id: 'UserOfKey', description: "A key's user, limited to the data that the key is allowed to read" });
export type UserOfKey = z.infer<typeof userOfKey>;

export const usageRecord = z
  .object({
    limit: whole('Calls allowed per period', 10000),
    used: whole('Calls charged in the current period', 877),
    remaining: whole('Calls left in the current period', 9123),
    periodStart: at('When the current period started', '2026-01-15T12:00:00.000Z'),
    resetsAt: at('When the next period starts', '2026-02-15T12:00:00.000Z'),
    validUntil: at('When the keys expire, exclusive', '2026-04-15T12:00:00.000Z'),
    daily: z
      .array(z.object({ date: z.iso.date(), calls: whole('Calls charged on that date', 42) }))
      .meta({ description: 'Calls charged per UTC date, newest first, up to 31 dates' }),
  })
  .meta({ id: 'Usage', description: 'How much of the allowance is used' });
export type UsageRecord = z.infer<typeof usageRecord>;

const keyNumber = z
  .int()
  .positive()
  .meta({ description: 'The ID of the key', examples: [7] });
const keyLabel = text('A label for the key', 'shop window');
const keyScopes = z
  .array(z.enum(SCOPES))
  .meta({ description: 'The scopes of the key; the owner key has all', examples: [['prices']] });
const keyStart = text('The first characters of the key, to recognize it', 'qt_EXAM');
const expiresAt = instant
  .nullable()
  .meta({ description: `${MOMENT}when the key expires; null if it only expires with its user` });

export const apiKeyRecord = z
  .object({
    id: keyNumber,
    label: z
      .string()
      .nullable()
      .meta({ description: 'A label for the key; null for the owner key', examples: ['shop window'] }),
    scopes: keyScopes,
    start: z
      .string()
      .nullable()
      .meta({
        description:
          'The first characters of the key, to recognize it; null for old keys, for which they were not stored',
        examples: ['qt_EXAM'],
      }),
    createdAt: instant,
    lastUsedAt: instant.nullable().meta({ description: `${MOMENT}the last use, to the minute; null if never used` }),
    expiresAt,
    replacedAt: instant.nullable().meta({
      description: `${MOMENT}when the key was replaced, after which it can only read data; null if it was not replaced`,
    }),
    seenOrigin: text(
      'The origin of the last page from another site that used this owner key; omitted if there is none',
      'https://shop.example',
    ).optional(),
  })
  .meta({ id: 'ApiKey', description: "A user's key, without the key itself" });
export type ApiKeyRecord = z.infer<typeof apiKeyRecord>;

export const createdKeyRecord = z
  .object({
    id: keyNumber,
    label: keyLabel,
    scopes: keyScopes,
    apiKey: secretKey('The key. It is returned only once, because only its hash is stored.'),
    start: keyStart,
    createdAt: instant,
    expiresAt,
  })
  .meta({ id: 'CreatedKey', description: 'A new key' });
export type CreatedKeyRecord = z.infer<typeof createdKeyRecord>;

export const registrationPending = z
  .object({
    email: z.string().meta({ examples: ['ada@example.org'] }),
    expiresAt: instant.meta({ description: `${MOMENT}when the one-time code in the email expires` }),
  })
  .meta({
    id: 'RegistrationPending',
    description: 'A registration that is waiting for its one-time code. No user exists yet.',
  });
export type RegistrationPending = z.infer<typeof registrationPending>;
