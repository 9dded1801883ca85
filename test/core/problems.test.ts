import { expect, test } from 'vitest';
import { invalidRequest, PROBLEM_CODES, Problem } from '#core/problems';

/** The statuses and titles of all problems. No other test checks a title. */
const TITLES = {
  invalid_request: [400, 'Invalid request'],
  secret_in_request: [400, 'Secret in the request'],
  token_invalid: [400, 'Invalid one-time code'],
  api_key_missing: [401, 'API key required'],
  api_key_invalid: [401, 'Unknown API key'],
  api_key_expired: [401, 'API key expired'],
  api_key_revoked: [401, 'API key revoked'],
  admin_token_invalid: [401, 'Valid admin token required'],
  account_suspended: [403, 'Account suspended'],
  cross_site: [403, 'Cross-site request rejected'],
  registration_closed: [403, 'Registration closed'],
  scope_missing: [403, 'Scope missing'],
  origin_not_allowed: [403, 'Origin not allowed'],
  not_found: [404, 'Not found'],
  no_data: [404, 'No data'],
  method_not_allowed: [405, 'Method not allowed'],
  not_acceptable: [406, 'Not acceptable'],
  request_timeout: [408, 'Request timeout'],
  renew_too_early: [409, 'Too early to renew'],
  too_many_keys: [409, 'Too many keys'],
  last_owner_key: [409, 'Last owner key'],
  webhook_not_set: [409, 'Webhook not set'],
  user_erased: [409, 'User erased'],
  message_not_retryable: [409, 'Message cannot be retried'],
  body_too_large: [413, 'Body too large'],
  uri_too_long: [414, 'URI too long'],
  unsupported_media_type: [415, 'Unsupported media type'],
  node_rejected: [400, 'Rejected by the node'],
  quota_exceeded: [429, 'Quota exceeded'],
  key_limit_exceeded: [429, 'Daily limit of the key exceeded'],
  rate_limited: [429, 'Too many requests'],
  too_many_streams: [429, 'Too many streams'],
  headers_too_large: [431, 'Header fields too large'],
  internal_error: [500, 'Internal error'],
  upstream_invalid: [502, 'Invalid upstream response'],
  upstream_unavailable: [503, 'Upstream unavailable'],
  node_not_configured: [503, 'Node not configured'],
  mail_not_configured: [503, 'Email not configured'],
  database_unavailable: [503, 'Database unavailable'],
  overloaded: [503, 'Service overloaded'],
  upstream_timeout: [504, 'Upstream timeout'],
} satisfies Record<(typeof PROBLEM_CODES)[number], [status: number, title: string]>;

test('each problem has a status and a title', () => {
  const actual = PROBLEM_CODES.map((code) => {
    const { status, title } = new Problem(code, 'detail');
    return [code, [status, title]];
  });
  expect(Object.fromEntries(actual)).toEqual(TITLES);
});

test('the detail names each fault and its remedy, which a message with "must" already contains', () => {
  const { message, members } = invalidRequest(
    { location: 'query.days', message: 'must be an integer from 1 to 36500', fix: 'an integer from 1 to 36500' },
    { location: 'query.tokenName', message: 'is not a supported value', fix: 'bitcoin' },
  );
  expect(message).toBe(
    'query.days must be an integer from 1 to 36500; query.tokenName is not a supported value: bitcoin.',
  );
  expect(members.errors).toHaveLength(2);
});
