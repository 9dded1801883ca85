import type { KeyChanges, KeyOptions, NoticeSettings, PendingRegistration, Registration, UsageBy } from './account.ts';
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
import { each, instant, isoInstant, object, record, type Wire } from './records.ts';
import { get, json, list, nothing, post, type Request } from './request.ts';
import type { CallOptions } from './transport/options.ts';

const TIMES = ['createdAt', 'validUntil', 'updatedAt'] as const;
const toUser = record<User>(TIMES);
const readUser = json(toUser);
const toPending = record<RegistrationPending>(['expiresAt']);
const toRegistered = (wire: Wire<User> | Wire<RegistrationPending>): User | PendingRegistration =>
  'apiKey' in wire ? toUser(wire) : toPending(wire);
const toUsage = record<Usage>(['periodStart', 'resetsAt', 'validUntil']);
const toRequests = each(record<RequestLog['requests'][number]>(['time']));
const toRequestLog = ({ requests, recordingSince, ...rest }: Wire<RequestLog>): RequestLog => ({
  ...rest,
  recordingSince: recordingSince === null ? null : instant(recordingSince),
  requests: toRequests(requests),
});
const toKey = record<ApiKey>(['createdAt'], ['lastUsedAt', 'expiresAt', 'exposedAt', 'replacedAt']);
const toDelivery = record<WebhookDelivery>(['createdAt'], ['lastAttemptAt', 'nextAttemptAt', 'deliveredAt']);

function keyPath(id: number): string {
  // An `id` of `..` would result in the path that deletes the user.
  if (!Number.isSafeInteger(id) || id < 1) throw invalid('id must be a positive integer');
  return `/v1/user/keys/${id}`;
}

function resendPath(id: string): string {
  // Another text could result in another path.
  if (typeof id !== 'string' || !/^[0-9A-Fa-f-]{36}$/.test(id)) throw invalid('id must be the ID of a delivery');
  return `/v1/user/webhook/deliveries/${id}/resend`;
}

/** Sends a request with the client's key. */
export type Send = <T>(request: () => Request<T>, call: CallOptions | undefined) => Promise<T>;

/** The client's methods for the user, the user's keys and the notices. */
export class AccountClient {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  /**
   * Registers a user and returns the owner key, which is shown only once. If the service confirms email addresses, the
   * result has no `apiKey`, and the user receives a token for `verify` by email. Not retried.
   */
  createUser(form: Registration, call?: CallOptions): Promise<User | PendingRegistration> {
    const request = () => {
      const { name, email, plan } = form;
      return post('/v1/user/create', json(toRegistered), { query: { name, email, plan }, isPublic: true });
    };
    return this.#send(request, call);
  }

  /** Completes a registration with the emailed token and returns the owner key, which is shown only once. */
  verify(token: string, call?: CallOptions): Promise<User> {
    return this.#send(() => post('/v1/user/verify', readUser, { body: { token }, isPublic: true }), call);
  }

  /** Emails a token for each user with this address. The response does not reveal whether such a user exists. */
  recover(email: string, call?: CallOptions): Promise<void> {
    return this.#send(() => post('/v1/user/recover', nothing, { body: { email }, isPublic: true }), call);
  }

  /** Issues a new owner key for a token from `recover`, and revokes the user's previous owner keys. */
  confirmRecovery(token: string, call?: CallOptions): Promise<User> {
    const request = () => post('/v1/user/recover/confirm', readUser, { body: { token }, isPublic: true });
    return this.#send(request, call);
  }

  /** The key's user, even if the key has expired. `name` and `email` are null without the scope `account`. */
  user(call?: CallOptions): Promise<UserOfKey> {
    return this.#send(() => get('/v1/user/data', json(record<UserOfKey>(TIMES))), call);
  }

  /**
   * The calls in the current period and on each of the last 31 days. `by` also breaks them down by key or path. Not
   * charged.
   */
  usage(options?: { by?: UsageBy | undefined } & CallOptions): Promise<Usage> {
    return this.#send(() => get('/v1/user/usage', json(toUsage), { query: { by: options?.by } }), options);
  }

  /**
   * The last 100 failed requests of the user and, unless `status` is set, the last 100 successful ones since
   * `recordingSince`, newest first. Not charged. Requires the owner key.
   */
  requests(options?: { status?: 'failed' | undefined } & CallOptions): Promise<RequestLog> {
    const query = { status: options?.status };
    return this.#send(() => get('/v1/user/requests', json(toRequestLog), { query }), options);
  }

  /** Everything that is stored about the user, without secrets. Requires the owner key. */
  exportUser(call?: CallOptions): Promise<UserExport> {
    return this.#send(() => get('/v1/user/export', json(record<UserExport>(['exportedAt']))), call);
  }

  /**
   * Replaces the key. For `graceSeconds` (0 to 604800, 300 by default), the old key remains valid for reading only.
   * This client continues to use the old key; to use the new one, call `client.withKey(user.apiKey)`.
   */
  rotate(options?: { graceSeconds?: number | undefined } & CallOptions): Promise<User> {
    const query = { graceSeconds: options?.graceSeconds };
    return this.#send(() => post('/v1/user/rotate', readUser, { query }), options);
  }

  /** Renews the plan for one period. Rejects with `renew_too_early` if the next period is already added. */
  renew(call?: CallOptions): Promise<User> {
    return this.#send(() => post('/v1/user/renew', readUser), call);
  }

  /** Deletes the user and revokes all of the user's keys. */
  deleteUser(call?: CallOptions): Promise<void> {
    return this.#send(() => get('/v1/user', nothing, { method: 'DELETE' }), call);
  }

  /** Creates a key that is limited to its scopes. The key is shown only once. Requires the owner key. */
  createKey(options: KeyOptions, call?: CallOptions): Promise<CreatedKey> {
    const request = () => {
      const { label, scopes, expiresAt, dailyLimit, allowedOrigins, url } = options;
      return post('/v1/user/keys', json(record<CreatedKey>(['createdAt'], ['expiresAt'])), {
        query: {
          label,
          scopes: scopes && list('scopes', scopes),
          expiresAt: expiresAt === undefined ? undefined : isoInstant(expiresAt),
          dailyLimit,
          allowedOrigins: allowedOrigins?.length ? list('allowedOrigins', allowedOrigins) : undefined,
          url: url ? 'true' : undefined,
        },
      });
    };
    return this.#send(request, call);
  }

  /** The user's keys without their secrets, newest first. Requires the owner key. */
  keys(call?: CallOptions): Promise<ApiKey[]> {
    return this.#send(() => get('/v1/user/keys', json(each(toKey))), call);
  }

  /** Changes a key by its `id`, and returns it without its secret. Requires the owner key. */
  updateKey(id: number, changes: KeyChanges, call?: CallOptions): Promise<ApiKey> {
    const request = () => {
      const { label, scopes, expiresAt, dailyLimit, allowedOrigins } = changes;
      const body = { label, scopes, expiresAt: expiresAt && isoInstant(expiresAt), dailyLimit, allowedOrigins };
      return get(keyPath(id), json(toKey), { method: 'PATCH', body });
    };
    return this.#send(request, call);
  }

  /** Deletes a key by its `id`. The last owner key cannot be deleted. Requires the owner key. */
  deleteKey(id: number, call?: CallOptions): Promise<void> {
    return this.#send(() => get(keyPath(id), nothing, { method: 'DELETE' }), call);
  }

  /** The notice settings. Requires the owner key. */
  notices(call?: CallOptions): Promise<Notices> {
    return this.#send(() => get('/v1/user/notices', json(object<Notices>)), call);
  }

  /** Replaces the notice settings. `webhookSecret` is returned only for a new webhook URL. Requires the owner key. */
  setNotices(settings: NoticeSettings, call?: CallOptions): Promise<NoticesWithSecret> {
    const request = () => {
      const { email, webhookUrl, thresholds } = settings;
      const body = { email, webhookUrl, thresholds };
      return get('/v1/user/notices', json(object<NoticesWithSecret>), { method: 'PUT', body });
    };
    return this.#send(request, call);
  }

  /** Sends a test event to the user's webhook URL, up to 10 per hour. Requires the owner key. */
  sendTestWebhook(call?: CallOptions): Promise<WebhookDelivery> {
    return this.#send(() => post('/v1/user/webhook/test', json(toDelivery)), call);
  }

  /** The last 50 deliveries of webhooks, newest first. Requires the owner key. */
  webhookDeliveries(call?: CallOptions): Promise<WebhookDelivery[]> {
    return this.#send(() => get('/v1/user/webhook/deliveries', json(each(toDelivery))), call);
  }

  /** Sends the message of a delivery again, with the same message ID, up to 30 per hour. Requires the owner key. */
  resendWebhook(id: string, call?: CallOptions): Promise<WebhookDelivery> {
    return this.#send(() => post(resendPath(id), json(toDelivery)), call);
  }
}
