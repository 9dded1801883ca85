import type { ApiKey, RegistrationPending, User } from './generated/records.ts';
import type { TimeInput } from './records.ts';

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
  /** Whether the key is accepted in URLs. Then `dailyLimit` is required, and the result contains the base URL. */
  url?: boolean | undefined;
};

/** The members to change. Null removes a term. Only the label and the limit of an owner key can be changed. */
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

/** How the calls on each date are broken down. */
export type UsageBy = 'key' | 'path';
