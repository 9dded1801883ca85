import type { ProblemCode } from '../problems.ts';

/** What a client can do about each problem: for the page of problems, and the examples of the description. */
export const ADVICE: Readonly<Record<ProblemCode, string>> = {
  invalid_request: 'Change what `errors` names: each entry says where the fault is and what is wanted there.',
  secret_in_request:
    'Never put a seed phrase into a URL. Consider this one known to others, and move what it guards.',
  api_key_missing: 'Send your API key in the header X-API-KEY.',
  api_key_invalid: 'Check the key for a slip, or register for one.',
  api_key_expired: 'Renew the key: it then goes on with a fresh period.',
  api_key_revoked: 'This key is dead for good. Use the one that took its place, or register again.',
  cross_site: 'Call from your own server, or ask the operator to allow the origin of your page.',
  registration_closed: 'Ask the operator of this service for a key.',
  not_found: 'Check the path against the interface description.',
  no_data: 'Ask for another time: `gaps`, where it is there, names the spans that no plan can give.',
  method_not_allowed: 'Use one of the methods that the header Allow names.',
  not_acceptable: 'Ask in Accept for a media type that the path gives.',
  renew_too_early: 'Wait for the last period before `validUntil`: the key can be renewed then.',
  body_too_large: 'Send no body: none is read here, and one over 1 MB is refused.',
  uri_too_long: 'Shorten the URI to 8 KB.',
  unsupported_media_type: 'Send the body in the media type that the path takes.',
  node_rejected: 'Read `error`, which is what the node said, and change the request by it.',
  quota_exceeded: 'Wait as many seconds as Retry-After says, until the period ends.',
  rate_limited: 'Wait as many seconds as Retry-After says, and spread your calls.',
  headers_too_large: 'Send header fields of 16 KB in all at most: mind the cookies.',
  internal_error: 'Try again later. If it stays, tell the operator the `requestId`.',
  upstream_invalid: 'Try again later: the upstream gave nonsense, and nothing is stored to serve.',
  upstream_unavailable:
    'Wait as many seconds as Retry-After says. With `gaps`: no such time is within reach of our plan.',
  node_not_configured: 'Ask the operator of this service to name a node in NODE_URLS.',
  database_unavailable: 'Wait as many seconds as Retry-After says.',
  overloaded: 'Wait as many seconds as Retry-After says.',
  upstream_timeout:
    'Try again later: the upstream is slow, and nothing is stored to serve. With `txhash`: a broadcast went out and may have arrived; look it up by that hash before you send it again.',
};
