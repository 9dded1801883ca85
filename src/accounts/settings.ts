import { parseUsageRetention } from '#accounts/ledger/usage-retention';
import { DAY } from '#core/clock';
import { baseUrl, oneOf, type Parsed, readBy, whole } from '#core/setting-forms';

export const accountVariables = {
  BURST_PER_SECOND: whole(0, 1_000_000).default(50),
  USAGE_RETENTION: readBy(parseUsageRetention).default(400 * DAY),
  REGISTRATION: oneOf('open', 'verified', 'closed').default('open'),
  REGISTRATIONS_PER_MINUTE: whole(0, 1_000_000).default(30),
  REQUEST_LOG: oneOf('on', 'off').default('on'),
  PROCESS_URL: baseUrl.optional(),
};

export const accountSettings = (env: Parsed<typeof accountVariables>) => ({
  burstPerSecond: env.BURST_PER_SECOND,
  usageRetention: env.USAGE_RETENTION,
  registration: env.REGISTRATION,
  registrationsPerMinute: env.REGISTRATIONS_PER_MINUTE,
  requestLog: env.REQUEST_LOG === 'on',
  processUrl: env.PROCESS_URL,
});

export type AccountSettings = ReturnType<typeof accountSettings>;
/** The account settings, the service's base path, and the origins whose pages may register users. */
export type RegistrationSettings = AccountSettings & { basePath: string; corsOrigins: readonly string[] };
