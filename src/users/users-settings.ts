import { baseUrl, oneOf, type Parsed, whole } from '#core/forms/setting-forms';

export const accountVariables = {
  BURST_PER_SECOND: whole(0, 1_000_000).default(50),
  REGISTRATION: oneOf('open', 'verified', 'closed').default('open'),
  REGISTRATIONS_PER_MINUTE: whole(0, 1_000_000).default(30),
  REQUEST_LOG: oneOf('on', 'off').default('on'),
  PROCESS_URL: baseUrl.optional(),
};

export const accountSettings = (env: Parsed<typeof accountVariables>) => ({
  burstPerSecond: env.BURST_PER_SECOND,
  registration: env.REGISTRATION,
  registrationsPerMinute: env.REGISTRATIONS_PER_MINUTE,
  requestLog: env.REQUEST_LOG === 'on',
  processUrl: env.PROCESS_URL,
});

export type AccountSettings = ReturnType<typeof accountSettings>;
/** The account settings, the service's base path, and the origins whose pages may register users. */
export type RegistrationSettings = AccountSettings & { basePath: string; corsOrigins: readonly string[] };
