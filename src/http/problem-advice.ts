import type { ProblemCode } from '../problems.ts';

/** What brings a problem about, and what a client can do about it; what is between backquotes is code. */
export type Advice = { cause: string; remedy: string };

/** For the page of problems, and the examples of the description. */
export const ADVICE: Readonly<Record<ProblemCode, Advice>> = {
  invalid_request: {
    cause:
      'A parameter is missing, of a wrong form or out of its range, or the request cannot be read as HTTP. Nothing that was sent is repeated.',
    remedy: 'Change what `errors` names: each entry says where the fault is and what is wanted there.',
  },
  secret_in_request: {
    cause:
      'The request carries a parameter `mnemonic`. What is in a URL ends up in logs and histories on its way.',
    remedy: 'Never put a seed phrase into a URL. Consider this one known to others, and move what it guards.',
  },
  api_key_missing: {
    cause: 'The path needs an API key, and there is none in the request.',
    remedy: 'Send your API key in the header X-API-KEY.',
  },
  api_key_invalid: {
    cause: 'No user has this key: a sign was mistyped or lost, or it belongs to another service.',
    remedy: 'Check the key for a slip, or register for one.',
  },
  api_key_expired: {
    cause: '`validUntil` has passed, and the key was not renewed.',
    remedy: 'Renew the key: it then goes on with a fresh period.',
  },
  api_key_revoked: {
    cause:
      'The user was erased, the operator revoked the key, or another took its place: until its grace is over the old one only reads.',
    remedy: 'This key is dead for good. Use the one that took its place, or register again.',
  },
  cross_site: {
    cause:
      'A browser says that a page of another site wants to register a user, and its origin is not allowed.',
    remedy: 'Call from your own server, or ask the operator to allow the origin of your page.',
  },
  registration_closed: {
    cause: 'On this service the operator alone creates users.',
    remedy: 'Ask the operator of this service for a key.',
  },
  not_found: {
    cause: 'No such path is served here. What a node does not know is `node_rejected`.',
    remedy: 'Check the path against the interface description.',
  },
  no_data: {
    cause:
      'The token was not listed yet, no sample lies in the time asked for, or the grain is finer than anybody keeps for so long.',
    remedy: 'Ask for another time: `gaps`, where it is there, names the spans that no plan can give.',
  },
  method_not_allowed: {
    cause: 'The path is known, and does not take this method.',
    remedy: 'Use one of the methods that the header Allow names.',
  },
  not_acceptable: {
    cause: '`Accept` asks for neither JSON nor CSV, the two that history comes in.',
    remedy: 'Ask in Accept for a media type that the path gives.',
  },
  renew_too_early: {
    cause: 'The key was renewed already: it is valid for one whole period after the running one.',
    remedy: 'Wait for the last period before `validUntil`: the key can be renewed then.',
  },
  body_too_large: {
    cause: 'The body is over 1 MB.',
    remedy: 'Send at most 1 MB, and a body only where one is read: to broadcast a transaction.',
  },
  uri_too_long: {
    cause: 'The URI, or a part of its path, is too long.',
    remedy: 'Shorten the URI to 8 KB.',
  },
  unsupported_media_type: {
    cause: 'The path reads a body, and not under this `Content-Type`.',
    remedy: 'Send the body in the media type that the path takes.',
  },
  node_rejected: {
    cause:
      'The request reached a node, which refused it. The status is the one it gave, where it has a meaning here.',
    remedy: 'Read `error`, which is what the node said, and change the request by it.',
  },
  quota_exceeded: {
    cause: 'Every call of the running period is spent, or still held by another process of the service.',
    remedy: 'Wait as many seconds as Retry-After says, until the period ends.',
  },
  rate_limited: {
    cause:
      'More requests with one key came in a second than are let in, or more registrations from one address in a minute.',
    remedy: 'Wait as many seconds as Retry-After says, and spread your calls.',
  },
  headers_too_large: {
    cause: 'The header fields are over 16 KB in all.',
    remedy: 'Send header fields of 16 KB in all at most: mind the cookies.',
  },
  internal_error: {
    cause: 'A fault of the service that nobody foresaw. It tells nothing of itself but its `requestId`.',
    remedy: 'Try again later. If it stays, tell the operator the `requestId`.',
  },
  upstream_invalid: {
    cause:
      'The upstream (the aggregator, a source of statistics, or the node) answered with something that cannot be read.',
    remedy: 'Try again later: the upstream gave nonsense, and nothing is stored to serve.',
  },
  upstream_unavailable: {
    cause:
      'The upstream (the aggregator, a source of statistics, or the node) cannot be asked now, and nothing is stored to serve.',
    remedy:
      'Wait as many seconds as Retry-After says. With `gaps`: no such time is within reach of our plan.',
  },
  node_not_configured: {
    cause: 'This service has no node to hand the call on to.',
    remedy: 'Ask the operator of this service to name a node in NODE_URLS.',
  },
  database_unavailable: {
    cause: 'The database is away, and what is asked for cannot be answered without it.',
    remedy: 'Wait as many seconds as Retry-After says.',
  },
  overloaded: {
    cause: 'The process is stopping, or more keys that it has not seen yet came at once than it can look up.',
    remedy: 'Wait as many seconds as Retry-After says.',
  },
  upstream_timeout: {
    cause:
      'The upstream (the aggregator, a source of statistics, or the node) did not answer in the time that a call may take.',
    remedy:
      'Try again later: the upstream is slow, and nothing is stored to serve. With `txhash`: a broadcast went out and may have arrived; look it up by that hash before you send it again.',
  },
};
