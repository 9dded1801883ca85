import type { Problem, ProblemCode } from './generated/records.ts';

/** The service's problem codes and the client's own codes. */
export type QuotientErrorCode =
  | ProblemCode
  /** No response: the service is unreachable, or the connection broke. */
  | 'network'
  /** The service responded with a redirect. The key is not sent to its target. */
  | 'redirect'
  /** No response within the time limit, retries included. */
  | 'timeout'
  /** The response is not from the service, or has an unexpected shape. */
  | 'invalid_answer';

/** A span without data, including both ends: dates for daily points, instants for shorter intervals. */
export type Gap = { from: string; thru: string };

type Facts = {
  cause?: unknown;
  status?: number | undefined;
  retryAfter?: number | undefined;
  requestId?: string | undefined;
  errors?: Problem['errors'];
  gaps?: readonly Gap[] | undefined;
  txhash?: string | undefined;
};

/** The error of failed calls and of the constructors. An aborted call rejects with its signal's reason instead. */
export class QuotientError extends Error {
  override readonly name = 'QuotientError';
  /** The codes are stable. A newer version of the service may add codes. */
  readonly code: QuotientErrorCode | (string & {});
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined;
  /** The message. For `node_rejected`, it is the node's message. */
  readonly detail: string;
  /** The number of seconds after which a retry may succeed. */
  readonly retryAfter: number | undefined;
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined;
  readonly errors: NonNullable<Problem['errors']>;
  /** The spans of the requested range for which there are no data. */
  readonly gaps: readonly Gap[];
  /** The hash of a transaction that may have been received although there was no response. */
  readonly txhash: string | undefined;

  constructor(code: QuotientErrorCode | (string & {}), detail: string, facts: Facts = {}) {
    super(`${code}: ${detail}`, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.detail = detail;
    this.status = facts.status;
    this.retryAfter = facts.retryAfter;
    this.requestId = facts.requestId;
    this.errors = facts.errors ?? [];
    this.gaps = facts.gaps ?? [];
    this.txhash = facts.txhash;
  }
}

export function withFacts(error: QuotientError, facts: Pick<Facts, 'txhash'>): QuotientError {
  return new QuotientError(error.code, error.detail, { ...error, cause: error.cause, ...facts });
}

export const invalid = (detail: string, cause?: unknown) => new QuotientError('invalid_request', detail, { cause });

export function readArguments<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof QuotientError ? error : invalid('the arguments are invalid', error);
  }
}

/** A seed phrase has 12 to 24 words. */
const MNEMONIC = /^\s*([a-z]{3,8}\s+){11,23}[a-z]{3,8}\s*$/i;
const HEX_KEY = /^(0x)?[0-9a-f]{64}$/i;
const EXTENDED_KEY = /^[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,}$/;
const PEM = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
const MEMBER = /mnemonic|priv(ate)?_?key|seed|secret|passphrase|wallet/i;

const hasSecretForm = (text: string) => [MNEMONIC, EXTENDED_KEY, PEM].some((form) => form.test(text));

const secretError = (where: string) =>
  new QuotientError(
    'secret_in_request',
    `${where} looks like a seed phrase or a private key. The client never accepts secrets. Sign the ` +
      'transaction with a signing library, and pass the signed transaction.',
  );

/** Throws if a string looks like a seed phrase or a private key. The error never contains the string. */
export function rejectSecret(where: string, value: unknown): void {
  if (typeof value === 'string' && (HEX_KEY.test(value) || hasSecretForm(value))) throw secretError(where);
}

/** Like `rejectSecret`, but accepts 64 hex digits, which may be a hash. */
export function rejectPhrase(where: string, value: unknown): void {
  if (typeof value === 'string' && hasSecretForm(value)) throw secretError(where);
}

/** Throws if the name of a member suggests a secret, or if its value looks like a seed phrase. */
export function rejectSecretMembers(where: string, value: object): void {
  for (const [name, member] of Object.entries(value)) {
    if (MEMBER.test(name)) throw secretError(`${where}.${name}`);
    rejectPhrase(`${where}.${name}`, member);
  }
}
