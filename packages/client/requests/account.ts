import { isoInstant, type TimeInput } from '../dates.ts';
import { invalid } from '../error.ts';
import type {
  ApiKey,
  CreatedKey,
  Notices,
  NoticesWithSecret,
  RegistrationPending,
  Usage,
  User,
  UserOfKey,
} from '../generated/records.ts';
import {
  toApiKeys,
  toCreatedKey,
  toPendingRegistration,
  toUsage,
  toUser,
  toUserOfKey,
} from './account-records.ts';
import { json, list, nothing, type Request } from './request.ts';
import { object, type Wire } from './wire.ts';

export type Plan = User['plan'];
export type Registration = { name: string; email: string; plan: Plan };

/** A registration that waits for the token that was mailed, where the service registers nobody unverified. */
export type PendingRegistration = RegistrationPending & { apiKey?: undefined };

/** What a key may do: read prices, call the node. */
export type KeyScope = Exclude<ApiKey['scopes'][number], 'account'>;

export type KeyOptions = {
  /** What the key is for, 1 to 100 characters. */
  label: string;
  /** `prices` by default. */
  scopes?: readonly KeyScope[] | undefined;
  /** When it ends: a `Date`, or text in ISO 8601; with the user by default. */
  expiresAt?: TimeInput | undefined;
};

export type NoticeSettings = {
  /** Whether notices come by mail. */
  email: boolean;
  /** Where notices are posted; null for nowhere. */
  webhookUrl: string | null;
  /** Per cent of the allowance at which a notice is sent. */
  thresholds: readonly number[];
};

export const createUser = ({ name, email, plan }: Registration): Request<User | PendingRegistration> => ({
  method: 'POST',
  path: '/v1/user/create',
  query: { name, email, plan },
  isPublic: true,
  read: json((wire: Wire<User> | Wire<RegistrationPending>) =>
    'apiKey' in wire ? toUser(wire) : toPendingRegistration(wire),
  ),
});

const readUser = json(toUser);

export const verify = (token: string): Request<User> => ({
  method: 'POST',
  path: '/v1/user/verify',
  body: { token },
  isPublic: true,
  read: readUser,
});

export const recover = (email: string): Request<void> => ({
  method: 'POST',
  path: '/v1/user/recover',
  body: { email },
  isPublic: true,
  read: nothing,
});

export const confirmRecovery = (token: string): Request<User> => ({
  method: 'POST',
  path: '/v1/user/recover/confirm',
  body: { token },
  isPublic: true,
  read: readUser,
});

export const user = (): Request<UserOfKey> => ({
  method: 'GET',
  path: '/v1/user/data',
  read: json(toUserOfKey),
});

export const usage = (): Request<Usage> => ({ method: 'GET', path: '/v1/user/usage', read: json(toUsage) });

export const rotate = (graceSeconds: number | undefined): Request<User> => ({
  method: 'POST',
  path: '/v1/user/rotate',
  query: { graceSeconds },
  read: readUser,
});

export const renew = (): Request<User> => ({ method: 'POST', path: '/v1/user/renew', read: readUser });

export const deleteUser = (): Request<void> => ({ method: 'DELETE', path: '/v1/user', read: nothing });

export const createKey = ({ label, scopes, expiresAt }: KeyOptions): Request<CreatedKey> => ({
  method: 'POST',
  path: '/v1/user/keys',
  query: {
    label,
    scopes: scopes && list('scopes', scopes),
    expiresAt: expiresAt === undefined ? undefined : isoInstant(expiresAt),
  },
  read: json(toCreatedKey),
});

export const keys = (): Request<ApiKey[]> => ({
  method: 'GET',
  path: '/v1/user/keys',
  read: json(toApiKeys),
});

export function deleteKey(id: number): Request<void> {
  // `..` for an `id` would be the path that deletes the user.
  if (!Number.isSafeInteger(id) || id < 1) throw invalid('the id of a key must be a whole number from 1');
  return { method: 'DELETE', path: `/v1/user/keys/${id}`, read: nothing };
}

export const notices = (): Request<Notices> => ({
  method: 'GET',
  path: '/v1/user/notices',
  read: json(object<Notices>),
});

export const setNotices = ({
  email,
  webhookUrl,
  thresholds,
}: NoticeSettings): Request<NoticesWithSecret> => ({
  method: 'PUT',
  path: '/v1/user/notices',
  body: { email, webhookUrl, thresholds },
  read: json(object<NoticesWithSecret>),
});
