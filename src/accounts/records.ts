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
    apiKey: secretKey('The key that was presented, or the one just made: it is shown once and only its hash is stored'),
    plan: z.enum(PLAN_NAMES),
    limit: whole('The calls allowed in one period', 10000),
    createdAt: instant,
    validUntil: instant.meta({
      description:
        'When the keys expire, exclusive: ISO 8601, UTC, milliseconds; always a period boundary. `POST /v1/user/renew` moves it',
      examples: ['2026-02-28T12:00:00.000Z'],
    }),
    updatedAt: instant,
  })
  .meta({ id: 'User', description: 'A user, and the key that was used' });
export type UserRecord = z.infer<typeof userRecord>;

const forAccount = (example: string) =>
  z
    .string()
    .nullable()
    .meta({ description: 'Null for a key without the scope `account`', examples: [example] });

export const userOfKey = userRecord
  .extend({ name: forAccount('Ada Lovelace'), email: forAccount('ada@example.org') })
  .meta({ id: 'UserOfKey', description: 'The user of a key, as that key may read it' });
export type UserOfKey = z.infer<typeof userOfKey>;

export const usageRecord = z
  .object({
    limit: whole('The calls allowed in one period', 10000),
    used: whole('Calls charged in the running period', 877),
    remaining: whole('The calls that are left in it', 9123),
    periodStart: at('When the running period began', '2026-01-15T12:00:00.000Z'),
    resetsAt: at('When the next period begins', '2026-02-15T12:00:00.000Z'),
    validUntil: at('Until when the keys are good, exclusive', '2026-04-15T12:00:00.000Z'),
    daily: z
      .array(z.object({ date: z.iso.date(), calls: whole('Calls charged on that date', 42) }))
      .meta({ description: 'Calls charged by UTC date, the newest first, 31 at most' }),
  })
  .meta({ id: 'Usage', description: 'What was used of the allowance' });
export type UsageRecord = z.infer<typeof usageRecord>;

const keyNumber = z
  .int()
  .positive()
  .meta({ description: 'The number of the key', examples: [7] });
const keyLabel = text('What the key is for', 'shop window');
const keyScopes = z
  .array(z.enum(SCOPES))
  .meta({ description: 'What the key may do; the owner key has all', examples: [['prices']] });
const keyStart = text('Its first characters, to tell keys apart', 'qt_EXAM');
const expiresAt = instant
  .nullable()
  .meta({ description: `${MOMENT}when the key ends; null where it ends with the user alone` });

export const apiKeyRecord = z
  .object({
    id: keyNumber,
    label: z
      .string()
      .nullable()
      .meta({ description: 'What the key is for; null of the owner key', examples: ['shop window'] }),
    scopes: keyScopes,
    start: z
      .string()
      .nullable()
      .meta({
        description: 'Its first characters, to tell keys apart; null of a key that is older than they are kept',
        examples: ['qt_EXAM'],
      }),
    createdAt: instant,
    lastUsedAt: instant.nullable().meta({ description: `${MOMENT}to the minute; null where it was never used` }),
    expiresAt,
    replacedAt: instant.nullable().meta({
      description: `${MOMENT}when it was rotated, from when on it only reads; null where it was not`,
    }),
    seenOrigin: text(
      'The origin of the last page of another site that used this owner key; left out where none did',
      'https://shop.example',
    ).optional(),
  })
  .meta({ id: 'ApiKey', description: 'A key of a user, without the secret' });
export type ApiKeyRecord = z.infer<typeof apiKeyRecord>;

export const createdKeyRecord = z
  .object({
    id: keyNumber,
    label: keyLabel,
    scopes: keyScopes,
    apiKey: secretKey('The key: it is shown once and only its hash is stored'),
    start: keyStart,
    createdAt: instant,
    expiresAt,
  })
  .meta({ id: 'CreatedKey', description: 'A key that was just made' });
export type CreatedKeyRecord = z.infer<typeof createdKeyRecord>;

export const registrationPending = z
  .object({
    email: z.string().meta({ examples: ['ada@example.org'] }),
    expiresAt: instant.meta({ description: `${MOMENT}until when the token in the mail is good` }),
  })
  .meta({
    id: 'RegistrationPending',
    description: 'A registration that waits for the token that was mailed: nobody is registered yet',
  });
export type RegistrationPending = z.infer<typeof registrationPending>;
