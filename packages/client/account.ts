import { invalid } from './error.ts';
import type {
  ApiKey,
  CreatedKey,
  Notices,
  NoticesWithSecret,
  RegistrationPending,
  RequestLog,
  Usage,
  User,
  UserExport,
  UserOfKey,
  WebhookDelivery,
} from './generated/records.ts';
import { each, isoInstant, object, record, type TimeInput, type Wire } from './records.ts';
import { get, json, list, nothing, post, type Request } from './request.ts';

export type Plan = User['plan'];
export type Registration = { name: string; email: string; plan: Plan };

/** A registration with a service that confirms email addresses. `verify` completes it with the emailed token. */
export type PendingRegistration = RegistrationPending & { apiKey?: undefined };

export type KeyScope = Exclude<ApiKey['scopes'][number], 'account'>;

export type KeyOptions = {
  /** The purpose of the key, in 1 to 100 characters. */
  label: string;
  /** `prices` by default. */
  scopes?: readonly KeyScope[] | undefined;
  /** When the key expires: a `Date` or an ISO 8601 string. By default, the key expires with the plan. */
  expiresAt?: TimeInput | undefined;
  /** Calls per UTC day. By default, only the allowance limits the key. */
  dailyLimit?: number | undefined;
  /** The origins of the web pages that can use the key, at most 10. By default, the key can be used from everywhere. */
  allowedOrigins?: readonly string[] | undefined;
};

/**
 * The members to change. Null removes an expiry, a limit or a restriction. Those of an owner key are its label and its
 * limit.
 */
export type KeyChanges = {
  label?: string | undefined;
  scopes?: readonly KeyScope[] | undefined;
  expiresAt?: TimeInput | null | undefined;
  dailyLimit?: number | null | undefined;
  allowedOrigins?: readonly string[] | null | undefined;
};

export type NoticeSettings = {
  email: boolean;
  /** The URL to which notices are posted; null disables the webhook. */
  webhookUrl: string | null;
  /** Percentages of the allowance at which a notice is sent. */
  thresholds: readonly number[];
};

const TIMES = ['createdAt', 'validUntil', 'updatedAt'] as const;
const toUser = record<User>(TIMES);
const readUser = json(toUser);
const toPending = record<RegistrationPending>(['expiresAt']);

export const createUser = ({ name, email, plan }: Registration): Request<User | PendingRegistration> =>
  post(
    '/v1/user/create',
    json((wire: Wire<User> | Wire<RegistrationPending>): User | PendingRegistration =>
      'apiKey' in wire ? toUser(wire) : toPending(wire),
    ),
    { query: { name, email, plan }, isPublic: true },
  );

export const verify = (token: string) => post('/v1/user/verify', readUser, { body: { token }, isPublic: true });

export const recover = (email: string) => post('/v1/user/recover', nothing, { body: { email }, isPublic: true });

export const confirmRecovery = (token: string) =>
  post('/v1/user/recover/confirm', readUser, { body: { token }, isPublic: true });

export const user = () => get('/v1/user/data', json(record<UserOfKey>(TIMES)));

/** How the calls on each date are broken down. */
export type UsageBy = 'key' | 'path';

export const usage = (by?: UsageBy) =>
  get('/v1/user/usage', json(record<Usage>(['periodStart', 'resetsAt', 'validUntil'])), { query: { by } });

const toRequests = each(record<RequestLog['requests'][number]>(['time']));

export const requests = () =>
  get(
    '/v1/user/requests',
    json(({ requests, ...rest }: Wire<RequestLog>): RequestLog => ({ ...rest, requests: toRequests(requests) })),
  );

export const exportUser = () => get('/v1/user/export', json(record<UserExport>(['exportedAt'])));

export const rotate = (graceSeconds: number | undefined) =>
  post('/v1/user/rotate', readUser, { query: { graceSeconds } });

export const renew = () => post('/v1/user/renew', readUser);

export const deleteUser = () => get('/v1/user', nothing, { method: 'DELETE' });

export const createKey = ({ label, scopes, expiresAt, dailyLimit, allowedOrigins }: KeyOptions) =>
  post('/v1/user/keys', json(record<CreatedKey>(['createdAt'], ['expiresAt'])), {
    query: {
      label,
      scopes: scopes && list('scopes', scopes),
      expiresAt: expiresAt === undefined ? undefined : isoInstant(expiresAt),
      dailyLimit,
      allowedOrigins: allowedOrigins?.length ? list('allowedOrigins', allowedOrigins) : undefined,
    },
  });

const toKey = record<ApiKey>(['createdAt'], ['lastUsedAt', 'expiresAt', 'replacedAt']);

export const keys = () => get('/v1/user/keys', json(each(toKey)));

function keyPath(id: number): string {
  // An `id` of `..` would result in the path that deletes the user.
  if (!Number.isSafeInteger(id) || id < 1) throw invalid('id must be a positive integer');
  return `/v1/user/keys/${id}`;
}

export const updateKey = (id: number, { label, scopes, expiresAt, dailyLimit, allowedOrigins }: KeyChanges) =>
  get(keyPath(id), json(toKey), {
    method: 'PATCH',
    body: { label, scopes, expiresAt: expiresAt && isoInstant(expiresAt), dailyLimit, allowedOrigins },
  });

export const deleteKey = (id: number) => get(keyPath(id), nothing, { method: 'DELETE' });

export const notices = () => get('/v1/user/notices', json(object<Notices>));

export const setNotices = ({ email, webhookUrl, thresholds }: NoticeSettings) =>
  get('/v1/user/notices', json(object<NoticesWithSecret>), {
    method: 'PUT',
    body: { email, webhookUrl, thresholds },
  });

const toDelivery = record<WebhookDelivery>(['createdAt'], ['lastAttemptAt', 'nextAttemptAt', 'deliveredAt']);

export const sendTestWebhook = () => post('/v1/user/webhook/test', json(toDelivery));

export const webhookDeliveries = () => get('/v1/user/webhook/deliveries', json(each(toDelivery)));

export function resendWebhook(id: string) {
  // Another text could result in another path.
  if (typeof id !== 'string' || !/^[0-9A-Fa-f-]{36}$/.test(id)) throw invalid('id must be the ID of a delivery');
  return post(`/v1/user/webhook/deliveries/${id}/resend`, json(toDelivery));
}
