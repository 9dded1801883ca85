import { z } from 'zod';
import { AUDIT_ACTIONS } from '#core/actor';
import { describedInstant, instantOrNull, recordId, text, textOrNull, whole } from '#core/forms/record-fields';
import { PROBLEM_CODES } from '#core/problems';
import { SCOPES } from '#keys/api-key';
import { KEY_STATES } from '#keys/key-validity';
import { CHANNEL_NAMES } from '#notifications/messages';
import { USER_STATES } from '#users/administration/account-report';
import { PLAN_NAMES } from '#users/plan';
import { userRecord } from '#users/users-records';

const recordNumber = recordId('The record number of the user', 1);

export const pageOf = <Item extends z.ZodType>(id: string, description: string, item: Item) =>
  z
    .object({
      items: z.array(item),
      nextCursor: textOrNull('Send it as `cursor` to get the next page; null on the last page', 'WyJjcmVhdGVkIiw0MV0'),
    })
    .meta({ id, description });

const suspension = z
  .object({
    since: describedInstant('When the user was suspended'),
    reason: text('The reason, which the user sees', 'Unusual traffic: contact us.'),
  })
  .meta({ id: 'Suspension', description: 'Why and since when the user is suspended' });

const nextPlan = z
  .object({
    plan: z.enum(PLAN_NAMES),
    limit: whole('Calls allowed per period from then on', 180000),
    from: describedInstant('The start of the first period of this plan'),
  })
  .meta({ id: 'NextPlan', description: 'A change of the plan that has been requested for the next period' });

const user = z.object({
  key: recordNumber,
  name: textOrNull('Null for an erased user', 'Ada Lovelace'),
  email: textOrNull('Null for an erased user', 'ada@example.org'),
  state: z.enum(USER_STATES).meta({
    description:
      '`suspended` until the user is resumed; `revoked` without an active key; `expired` until a renewal; `erased` without a name and an email address',
  }),
  suspension: suspension.nullable(),
  plan: z.enum(PLAN_NAMES),
  nextPlan: nextPlan.nullable(),
  limit: whole('Calls allowed per period, without credits', 10000),
  credits: whole('Additional calls in the current period', 500),
  periodLimit: whole('Calls allowed in the current period, credits included', 10500),
  used: whole('Calls charged in the current period; calls of the last few seconds may be missing', 877),
  lastHour: whole('Calls in the last hour, updated about once a minute', 42),
  periodStart: describedInstant('When the current period started'),
  resetsAt: describedInstant('When the next period starts'),
  keys: whole('Active keys, including those in the grace period of a rotation', 2),
  lastUsedAt: instantOrNull('The last use of a key, to the minute; null if never used'),
  createdAt: describedInstant('When the user registered'),
  validUntil: describedInstant('When the keys expire, exclusive'),
  updatedAt: describedInstant('The last change to the user'),
});

export const operatorUser = user.meta({ id: 'OperatorUser', description: 'A user, as the operator sees it' });
export type OperatorUser = z.infer<typeof operatorUser>;
export const userPage = pageOf('UserPage', 'Users in the requested order', operatorUser);

const key = z
  .object({
    id: recordId('The ID of the key', 7),
    label: textOrNull('A label for the key; null for an owner key', 'shop window'),
    scopes: z.array(z.enum(SCOPES)).meta({ description: 'An owner key has all scopes', examples: [['prices']] }),
    start: textOrNull('The first characters of the key; null for old keys, for which they were not stored', 'qt_EXAM'),
    state: z.enum(KEY_STATES).meta({ description: 'A `replaced` key can only read data until its grace period ends' }),
    seenOrigin: textOrNull(
      'The origin of the last page from another site that used this owner key',
      'https://shop.example',
    ),
    createdAt: describedInstant('When the key was created'),
    lastUsedAt: instantOrNull('The last use, to the minute; null if never used'),
    replacedAt: instantOrNull('When the key was replaced; null if it was not replaced'),
    expiresAt: instantOrNull('When the key expires; null if it only expires with its user'),
    revokedAt: instantOrNull('When the key was revoked; null if it was not revoked'),
  })
  .meta({ id: 'OperatorKey', description: "A user's key, without the key itself" });

const credit = z
  .object({
    calls: whole('Additional calls', 500),
    reason: text('The reason that the operator stated', 'Compensation for the outage on 3 November'),
    periodStart: describedInstant('The start of the period in which the calls can be used'),
    createdAt: describedInstant('When the calls were granted'),
  })
  .meta({ id: 'Credit', description: 'Additional calls for one period' });

export const operatorUserDetail = user
  .extend({
    isVerified: z.boolean().meta({ description: 'Whether the user has confirmed the email address' }),
    apiKeys: z.array(key).meta({ description: 'All stored keys, newest first' }),
    grants: z.array(credit).meta({ description: 'The credits of all periods, newest first, up to 100' }),
    daily: z
      .array(z.object({ date: z.iso.date(), calls: whole('Calls charged on that date', 42) }))
      .meta({ description: 'Calls charged per UTC date, newest first, up to 31 dates' }),
    notices: z
      .object({
        email: z.boolean(),
        webhookUrl: textOrNull('The webhook, without its secret', 'https://hooks.example/quotient'),
        thresholds: z.array(z.int()).meta({ description: 'Percent of the allowance', examples: [[80, 100]] }),
      })
      .meta({ description: 'The notices that the user receives' }),
  })
  .meta({ id: 'OperatorUserDetail', description: 'A user with keys, credits, daily calls and notices' });
export type OperatorUserDetail = z.infer<typeof operatorUserDetail>;

/** The public record, which is the only place where a new key is shown. */
export const rotatedUser = userRecord;

const SOURCE_STATES = ['unused', 'working', 'failing', 'paused', 'exhausted'] as const;

export const sourceReport = z
  .object({
    name: text('The name of the source, as in `Quotient-Source`', 'coingecko'),
    state: z.enum(SOURCE_STATES).meta({
      description:
        '`unused`: not called yet. `working`: the last call succeeded, or the source does not have the requested data. `failing`: the last call failed. `paused`: after repeated failures, this process makes no calls for a while. `exhausted`: the budget of the month is spent.',
    }),
    lastSuccessAt: instantOrNull('The last successful call of any process'),
    lastFailure: z
      .object({
        at: describedInstant('The last failed call of any process'),
        cause: text('The cause, as in the logs and metrics', 'timeout'),
      })
      .nullable(),
    budget: z
      .object({
        limit: whole('Calls allowed in the calendar month (UTC)', 10000).nullable(),
        used: whole('Calls of all processes in the calendar month', 4120),
        remaining: whole('Calls left in the calendar month; null without a limit', 5880).nullable(),
        forecast: whole(
          "Calls at the end of the month, at this month's average rate since the first call to the source",
          9300,
        ),
        exhaustedAt: instantOrNull(
          'When the budget will run out at this rate; null if it lasts to the end of the month',
        ),
      })
      .nullable()
      .meta({ description: 'Null for a source without a budget' }),
    inactiveTokens: z.array(z.string()).meta({
      description: 'The tokens in the memory of this process for which the source has no current price',
      examples: [['terra-luna']],
    }),
  })
  .meta({ id: 'SourceReport', description: 'The state of a data source and its call budget' });
export type SourceReport = z.infer<typeof sourceReport>;

const latency = {
  median: z.number().nullable().meta({ description: 'The median in ms; null without a successful response' }),
  p99: z.number().nullable().meta({ description: 'The 99th percentile in ms; null without a successful response' }),
};

export const requestReport = z
  .object({
    since: describedInstant('When this process started'),
    requests: whole('All responses', 12345),
    ...latency,
    problems: z
      .array(z.object({ code: z.enum(PROBLEM_CODES), count: whole('Responses with this code', 42) }))
      .meta({ description: 'Problem responses by code, most first' }),
    routes: z
      .array(
        z.object({
          route: text("The route's pattern; `unmatched` if no route matched", '/v1/prices/latest/token'),
          requests: whole('All responses of the route', 1234),
          ...latency,
        }),
      )
      .meta({ description: 'Responses by route, most first' }),
  })
  .meta({
    id: 'RequestReport',
    description:
      'The requests to the public port of the process that responds, since its start. Latencies are those of successful responses (2xx or 304), estimated from a histogram: up to 5,000 ms.',
  });
export type RequestReport = z.infer<typeof requestReport>;

const MESSAGE_STATES = ['waiting', 'failed', 'given_up'] as const;

export const messageRecord = z
  .object({
    id: z.uuid().meta({ description: 'The ID of the message', examples: ['0f8fad5b-d9cb-469f-a165-70867728950e'] }),
    kind: text('`recover`, `verify`, `notice-mail`, `notice-webhook` or `webhook-delivery`', 'notice-webhook'),
    channel: z.enum(CHANNEL_NAMES),
    user: recordNumber.nullable().meta({ description: 'The record number of the user; null before registration' }),
    state: z.enum(MESSAGE_STATES).meta({
      description:
        '`waiting`: the first attempt or a requested retry has no result yet. `failed`: will be attempted again. `given_up`: will not be attempted again.',
    }),
    isRetryable: z.boolean().meta({
      description:
        'False for an email that the service has given up on and whose address was removed: the user must request another email',
    }),
    createdAt: describedInstant('When the message was added'),
    attempts: whole('Attempts so far', 3),
    nextAttemptAt: instantOrNull('When the next attempt is due; null if the service has given up on the message'),
    lastError: textOrNull('Why the last attempt failed; contains no address', 'status 503'),
  })
  .meta({ id: 'Message', description: 'An email or a webhook that has not been delivered' });
export type MessageRecord = z.infer<typeof messageRecord>;
export const messagePage = pageOf('MessagePage', 'Undelivered messages, newest first', messageRecord);

const values = (description: string) =>
  z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({ description, examples: [{ limit: 10000 }] });

const auditRecord = z
  .object({
    id: recordId('Increases with each event', 41),
    at: describedInstant('When the change was made, by the clock of the database'),
    actor: text('`admin` for this API and the page, or `cli:` and the system user', 'admin'),
    action: z.enum(AUDIT_ACTIONS),
    target: text('The changed object: its kind and its ID', 'user:1'),
    user: recordNumber
      .nullable()
      .meta({ description: 'The record number of the affected user; null if there is none' }),
    before: values('The changed members before the change; null if the object was added'),
    after: values('The changed members after the change; null if the object was removed'),
    requestId: textOrNull('The ID of the request; null for a command', '0f8fad5b-d9cb-469f-a165-70867728950e'),
  })
  .meta({ id: 'AuditEvent', description: 'A change that the operator made' });
export type AuditRecord = z.infer<typeof auditRecord>;
export const auditPage = pageOf('AuditPage', 'Audit events, newest first', auditRecord);
