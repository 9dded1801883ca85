import type { ComponentChildren } from 'preact';
import type { QuotientError } from '../../client/index.ts';
import { Problem } from '../../pages/components/states.tsx';
import { ApiError } from './api.ts';

/** The next step for errors whose detail does not contain it. */
const REMEDIES: Readonly<Record<string, string>> = {
  admin_token_invalid: 'Copy ADMIN_TOKEN from the settings of the service, and sign in again.',
  cross_site: 'Open this page directly, without a link from another site.',
  not_found: 'It may have been deleted. Search again.',
  user_erased: 'An erased user cannot be changed. The user can register again.',
  last_owner_key: 'Replace the owner key instead, or suspend or erase the user.',
  too_many_keys: 'Revoke a key of this user first.',
  renew_too_early: 'Wait for the next period, or grant calls for the current period.',
  message_not_retryable: 'The user has to request another email.',
  mail_not_configured: 'Configure the mail server in the settings of the service, and try again.',
  upstream_invalid: 'Check the source under Sources, and try again later.',
  upstream_unavailable: 'Check the source and its budget under Sources, and try again later.',
  upstream_timeout: 'Check the source under Sources, and try again later.',
  rate_limited: 'Wait, and check the token.',
  database_unavailable: 'Check the database. The service reconnects by itself; then try again.',
  overloaded: 'Try again in a moment.',
  internal_error: 'Search the log of the service for the request ID below.',
};

/** Shows an error with its title, its detail and the next step. */
export const problem = (error: QuotientError, retry?: ComponentChildren) => (
  <Problem error={error} title={error instanceof ApiError ? error.title : undefined} remedy={REMEDIES[error.code]}>
    {retry}
  </Problem>
);
