import { QuotientError } from '../client/index.ts';
import { span, withDates } from './format.ts';

const CONNECTION_ERRORS: Readonly<Record<string, string>> = {
  network: 'The service is unreachable. Check your connection and try again.',
  timeout: 'The service did not respond in time. Try again in a moment.',
  redirect: 'A proxy redirected the request, for example to a sign-in page. Reload this page.',
  invalid_answer: 'The response did not come from this service. Check whether a proxy intercepts your requests.',
};

/** Whether the error is an exhausted limit that resets at an announced time. */
export const isExhausted = (code: string) => code === 'quota_exceeded' || code === 'key_limit_exceeded';

const KEY_CODES: ReadonlySet<string> = new Set(['scope_missing', 'origin_not_allowed', 'account_suspended']);

/** Whether every call with the key would fail. */
export const isKeyProblem = ({ status, code }: QuotientError) =>
  status === 401 || isExhausted(code) || KEY_CODES.has(code);

export const isTemporary = ({ status, code }: QuotientError) =>
  Object.hasOwn(CONNECTION_ERRORS, code) || code === 'rate_limited' || (status ?? 0) >= 500;

export const toError = (error: unknown): QuotientError =>
  error instanceof QuotientError ? error : new QuotientError('invalid_answer', String(error));

/** An error as text: a sentence, the invalid parameters, further sentences, and the code if it has a page. */
export function problemTexts({ code, detail, errors, retryAfter, gaps }: QuotientError) {
  const connectionError = CONNECTION_ERRORS[code];
  const more: string[] = [];
  if (retryAfter !== undefined && code !== 'quota_exceeded') more.push(`Try again in ${span(retryAfter * 1000)}.`);
  if (gaps.length > 0) more.push(`Missing: ${gaps.map(({ from, thru }) => `${from} to ${thru}`).join('; ')}.`);
  return {
    first: withDates(connectionError ?? (errors.length > 0 ? 'Invalid request:' : detail)),
    faults: errors.map(
      ({ location, message, fix }) => `${location.replace(/^\w+\./, '')} ${withDates(message)}: ${fix}`,
    ),
    more: more.map(withDates),
    documented: connectionError === undefined ? code : undefined,
  };
}
