import { memberNames } from './names.ts';
import { CLIENT_ERRORS } from './problems/client-errors.ts';
import { SERVER_ERRORS } from './problems/server-errors.ts';

const PROBLEMS = { ...CLIENT_ERRORS, ...SERVER_ERRORS };

export type ProblemCode = keyof typeof PROBLEMS;
export const PROBLEM_CODES = memberNames(PROBLEMS);
export type InputFault = { location: string; message: string; fix: string };

type Extras = {
  /** The cause, which is logged but never sent. */
  cause?: unknown;
  /** Overrides the code's status, for example with the node's own status for `node_rejected`. */
  status?: number;
  retryAfter?: number;
  headers?: Record<string, string>;
  members?: { errors?: InputFault[]; gaps?: string[]; error?: string; txhash?: string; scope?: string };
};

export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<NonNullable<Extras['members']>>;

  constructor(code: ProblemCode, detail: string, { cause, status, retryAfter, headers, members }: Extras = {}) {
    super(detail, { cause });
    this.code = code;
    this.title = PROBLEMS[code][1];
    this.status = status ?? PROBLEMS[code][0];
    this.headers = {
      ...(this.status === 401 && { 'www-authenticate': 'ApiKey' }),
      ...(retryAfter !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(retryAfter))) }),
      ...headers,
    };
    this.members = members ?? {};
  }
}

/** A message with `must` already states the accepted input, so `fix` is omitted. */
export const faultText = ({ location, message, fix }: InputFault): string =>
  message.startsWith('must ') ? `${location} ${message}` : `${location} ${message}: ${fix}`;

/** `faults` must not repeat client input, which may be a secret. */
export function invalidRequest(...faults: InputFault[]): Problem {
  const detail = faults.map(faultText).join('; ');
  return new Problem('invalid_request', `${detail}.`, { members: { errors: faults } });
}

export function problemKind(code: ProblemCode) {
  const [status, title, cause, remedy] = PROBLEMS[code];
  return { status, title, cause, remedy };
}
