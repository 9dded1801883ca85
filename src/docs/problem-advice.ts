import { MAX_KEYS_PER_USER } from '#accounts/keys/api-key';
import type { ProblemCode } from '#core/problems';
import { MAX_BROADCAST_BYTES } from '#node/broadcast';
import { MAX_DISCARDED } from '#server/connections/request-body';

const BROADCAST_KB = MAX_BROADCAST_BYTES / 1024;
/** Code is in backquotes. */
type Advice = { cause: string; remedy: string };

/** For the page of problems and the examples in the OpenAPI document. */
export const ADVICE: Readonly<Record<ProblemCode, Advice>> = {
  invalid_request: {
    cause:
      'A parameter is missing, malformed or out of range, or the request is not valid HTTP. The answer never repeats what was sent.',
    remedy: 'Fix what `errors` lists: each entry says what is wrong and what is expected.',
  },
  secret_in_request: {
    cause: 'The request has a parameter `mnemonic`. URLs end up in logs and browser histories.',
    remedy: 'Never put a seed phrase into a URL. Consider this one compromised, and move its funds.',
  },
  token_invalid: {
    cause: 'The token of a mail was used before, has expired, or was mistyped. Nothing tells which.',
    remedy: 'Take the newest mail, copy the whole token, or ask for another mail.',
  },
  api_key_missing: {
    cause: 'The path needs an API key, and the request has none.',
    remedy:
      'Send your API key in the header X-API-KEY, or in Authorization. In the URL it is taken by `GET /v1/user/data` alone.',
  },
  api_key_invalid: {
    cause: 'No user has this key: it was mistyped or cut off, or it belongs to another service.',
    remedy: 'Check the key for typing errors, or register for a new one.',
  },
  api_key_expired: {
    cause:
      '`validUntil` has passed, and the key was not renewed; or the key was made to end at a time that has passed.',
    remedy: 'Renew: the keys then work again, with a new period. In the place of a key that has ended make another.',
  },
  api_key_revoked: {
    cause:
      'The user was deleted, the operator revoked the key, or the key was replaced. A replaced key can still read until its grace period ends.',
    remedy: 'This key will not work again. Use its replacement, or register again.',
  },
  cross_site: {
    cause: 'A web page of another site tried to register a user or to recover a key, and its origin is not allowed.',
    remedy: 'Call from your own server, or ask the operator to allow the origin of your page.',
  },
  registration_closed: {
    cause: 'On this service only the operator creates users.',
    remedy: 'Ask the operator of this service for a key.',
  },
  scope_missing: {
    cause: 'The key was made for something else: its scopes do not cover this path. `scope` names the one it wants.',
    remedy:
      'Use a key that has this scope, or the owner key, which has all. An owner key makes keys with other scopes.',
  },
  not_found: {
    cause:
      'This path, or the key that it names, does not exist. If a node does not find something, the code is `node_rejected`.',
    remedy: 'Check the path against the interface description.',
  },
  no_data: {
    cause:
      'The token was not listed yet, there is no sample in the requested time, or no source keeps such a fine interval for that long.',
    remedy:
      'Request other dates, or a coarser `interval`. `GET /v1/tokens` returns the first date of each interval in `available`, for prices and for candles. `gaps` lists the missing time.',
  },
  method_not_allowed: {
    cause: 'The path exists, but does not have this method.',
    remedy: 'Use one of the methods in the header Allow.',
  },
  not_acceptable: {
    cause: '`Accept` or `format` asks for what the path does not give: JSON, and CSV of history alone.',
    remedy: 'Use a media type in Accept that the path has.',
  },
  request_timeout: {
    cause:
      'The head of the request did not arrive within 30 s of its first byte, or its body within 60 s of that, or the body came at less than 1 KB a second.',
    remedy: 'Send the request again, all of it at once.',
  },
  renew_too_early: {
    cause: 'The key has already been renewed: it is valid until the end of the period after the current one.',
    remedy: 'Renew in the last period before `validUntil`.',
  },
  too_many_keys: {
    cause: `The user has ${MAX_KEYS_PER_USER} live keys, those in the grace of a rotation included.`,
    remedy: 'Delete a key that is not needed, or wait until the grace of an old one is over.',
  },
  last_owner_key: {
    cause: 'The key to be deleted is the only owner key, without which the user could be changed no more.',
    remedy: 'Rotate it, which puts another in its place, or erase the user.',
  },
  body_too_large: {
    cause: `The body is over ${MAX_DISCARDED / 1024 ** 2} MB, or over the ${BROADCAST_KB} KB of a path that reads one, or in thousands of pieces.`,
    remedy: `Send a body only where one is read, to broadcast a transaction, and at most ${BROADCAST_KB} KB of it.`,
  },
  uri_too_long: { cause: 'The URI, or a segment of its path, is too long.', remedy: 'Shorten the URI to 8 KB.' },
  unsupported_media_type: {
    cause: 'The path does not accept a body of this `Content-Type`.',
    remedy: 'Send the body in the media type that the path accepts.',
  },
  node_rejected: {
    cause: 'A node rejected the request. The status is that of the node, if it makes sense here.',
    remedy: 'Read `error`, the message of the node, and change the request accordingly.',
  },
  quota_exceeded: {
    cause:
      'All calls of the current period are used, or reserved by another process of the service; or fewer are left than this call costs.',
    remedy: 'Wait for the seconds in Retry-After, until the period ends, or ask for fewer tokens at once.',
  },
  rate_limited: {
    cause:
      'More requests of one user in a second than are allowed (all keys together), too many requests with unknown keys from one address, too many registrations or recoveries from it in a minute, or too many mails to one address.',
    remedy: 'Wait for the seconds in Retry-After, and spread your calls.',
  },
  headers_too_large: {
    cause: 'The headers are over 16 KB in total.',
    remedy: 'Send at most 16 KB of headers; check the cookies.',
  },
  internal_error: {
    cause: 'An unexpected error of the service. The answer has no details but its `requestId`.',
    remedy: 'Try again later. If the error persists, send the operator the `requestId`.',
  },
  upstream_invalid: {
    cause:
      'The upstream (the source of prices or statistics, or the node) sent a malformed answer, and no stored data is available.',
    remedy: 'Try again later.',
  },
  upstream_unavailable: {
    cause:
      'The upstream (the source of prices or statistics, or the node) is unavailable, and no stored data is available.',
    remedy:
      'Wait for the seconds in Retry-After. If there are `gaps`, those times are further back than the service can fetch.',
  },
  node_not_configured: {
    cause: 'This service has no node to pass the call on to.',
    remedy: 'Ask the operator of this service to configure NODE_URLS.',
  },
  mail_not_configured: {
    cause: 'The path needs mails, and this service sends none.',
    remedy: 'Ask the operator of this service to configure SMTP_URL, or for a new key.',
  },
  database_unavailable: {
    cause: 'The database is unavailable, and the request needs it.',
    remedy: 'Wait for the seconds in Retry-After.',
  },
  overloaded: {
    cause:
      'The process is stopping, or more came at once than it takes on: unknown keys to look up, bodies, or more than four of your calls to the node.',
    remedy: 'Wait for the seconds in Retry-After, and for your own calls to end.',
  },
  upstream_timeout: {
    cause:
      'The upstream (the source of prices or statistics, or the node) did not answer in time, and no stored data is available.',
    remedy:
      'Try again later. If there is a `txhash`, the broadcast was sent and may have arrived: look up that transaction before you send it again.',
  },
};
