import type { KeyChanges, KeyOptions, NoticeSettings, PendingRegistration, Registration, UsageBy } from './account.ts';
import * as account from './account.ts';
import type {
  ApiKey,
  CreatedKey,
  Notices,
  NoticesWithSecret,
  RequestLog,
  Usage,
  User,
  UserExport,
  UserOfKey,
  WebhookDelivery,
} from './generated/records.ts';
import type { Request } from './request.ts';
import type { CallOptions } from './transport/options.ts';

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
    return this.#send(() => account.createUser(form), call);
  }

  /** Completes a registration with the emailed token and returns the owner key, which is shown only once. */
  verify(token: string, call?: CallOptions): Promise<User> {
    return this.#send(() => account.verify(token), call);
  }

  /** Emails a token for each user with this address. The response does not reveal whether such a user exists. */
  recover(email: string, call?: CallOptions): Promise<void> {
    return this.#send(() => account.recover(email), call);
  }

  /** Issues a new owner key for a token from `recover`, and revokes the user's previous owner keys. */
  confirmRecovery(token: string, call?: CallOptions): Promise<User> {
    return this.#send(() => account.confirmRecovery(token), call);
  }

  /** The key's user, even if the key has expired. `name` and `email` are null without the scope `account`. */
  user(call?: CallOptions): Promise<UserOfKey> {
    return this.#send(account.user, call);
  }

  /**
   * The number of calls in the current period and on each of the last 31 days, also by key or path if `by` is set. Not
   * charged.
   */
  usage(options?: { by?: UsageBy | undefined } & CallOptions): Promise<Usage> {
    return this.#send(() => account.usage(options?.by), options);
  }

  /** The last 100 requests of the user, newest first. Not charged. Requires the owner key. */
  requests(call?: CallOptions): Promise<RequestLog> {
    return this.#send(account.requests, call);
  }

  /** Everything that is stored about the user, without secrets. Requires the owner key. */
  exportUser(call?: CallOptions): Promise<UserExport> {
    return this.#send(account.exportUser, call);
  }

  /**
   * Replaces the key. For `graceSeconds` (0 to 604800, 300 by default), the old key remains valid for reading only.
   * This client continues to use the old key; to use the new one, call `client.withKey(user.apiKey)`.
   */
  rotate(options?: { graceSeconds?: number | undefined } & CallOptions): Promise<User> {
    return this.#send(() => account.rotate(options?.graceSeconds), options);
  }

  /** Renews the plan for one period. Rejects with `renew_too_early` if the next period is already added. */
  renew(call?: CallOptions): Promise<User> {
    return this.#send(account.renew, call);
  }

  /** Deletes the user and revokes all of the user's keys. */
  deleteUser(call?: CallOptions): Promise<void> {
    return this.#send(account.deleteUser, call);
  }

  /** Creates a key that is limited to its scopes. The key is shown only once. Requires the owner key. */
  createKey(options: KeyOptions, call?: CallOptions): Promise<CreatedKey> {
    return this.#send(() => account.createKey(options), call);
  }

  /** The user's keys without their secrets, newest first. Requires the owner key. */
  keys(call?: CallOptions): Promise<ApiKey[]> {
    return this.#send(account.keys, call);
  }

  /** Changes a key by its `id`, and returns it without its secret. Requires the owner key. */
  updateKey(id: number, changes: KeyChanges, call?: CallOptions): Promise<ApiKey> {
    return this.#send(() => account.updateKey(id, changes), call);
  }

  /** Deletes a key by its `id`. The last owner key cannot be deleted. Requires the owner key. */
  deleteKey(id: number, call?: CallOptions): Promise<void> {
    return this.#send(() => account.deleteKey(id), call);
  }

  /** The notice settings. Requires the owner key. */
  notices(call?: CallOptions): Promise<Notices> {
    return this.#send(account.notices, call);
  }

  /** Replaces the notice settings. `webhookSecret` is returned only for a new webhook URL. Requires the owner key. */
  setNotices(settings: NoticeSettings, call?: CallOptions): Promise<NoticesWithSecret> {
    return this.#send(() => account.setNotices(settings), call);
  }

  /** Sends a test event to the user's webhook URL, up to 10 per hour. Requires the owner key. */
  sendTestWebhook(call?: CallOptions): Promise<WebhookDelivery> {
    return this.#send(account.sendTestWebhook, call);
  }

  /** The last 50 deliveries of webhooks, newest first. Requires the owner key. */
  webhookDeliveries(call?: CallOptions): Promise<WebhookDelivery[]> {
    return this.#send(account.webhookDeliveries, call);
  }

  /** Sends the message of a delivery again, with the same message ID, up to 30 per hour. Requires the owner key. */
  resendWebhook(id: string, call?: CallOptions): Promise<WebhookDelivery> {
    return this.#send(() => account.resendWebhook(id), call);
  }
}
