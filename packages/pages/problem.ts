import { QuotientError } from '../client/index.ts';
import { make } from './dom.ts';
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

/** Shows an error in a panel. `retry` repeats the call. `hasFigures` means that the panel shows earlier figures. */
export type OnError = (error: unknown, place: Element, retry: () => Promise<unknown>, hasFigures?: boolean) => void;

export const toError = (error: unknown): QuotientError =>
  error instanceof QuotientError ? error : new QuotientError('invalid_answer', String(error));

export const notLoaded = () => make('p', { class: 'soft' }, 'Not loaded. See the message at the top of this page.');

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

export function problemNote(error: QuotientError, ...actions: HTMLElement[]): HTMLElement {
  const { first, faults, more, documented } = problemTexts(error);
  const note = make('div', { class: 'note bad' }, make('p', {}, first));
  if (faults.length > 0) note.append(make('ul', {}, ...faults.map((fault) => make('li', {}, fault))));
  note.append(...more.map((text) => make('p', {}, text)));
  if (documented !== undefined) {
    const link = make('a', { href: `docs/problems#${documented}` }, `About ${documented}`);
    note.append(make('p', { class: 'soft' }, link, error.requestId ? ` (request ${error.requestId})` : ''));
  }
  if (actions.length > 0) note.append(make('div', { class: 'row' }, ...actions));
  return note;
}

/**
 * Runs `act` unless it is already running, and shows its error. Does not set `disabled`, which would remove the focus.
 */
export async function runOnce(
  button: Element,
  problem: Element,
  act: () => Promise<void>,
  write: (error: QuotientError) => Node | string = problemNote,
) {
  if (button.getAttribute('aria-disabled') === 'true') return undefined;
  button.setAttribute('aria-disabled', 'true');
  problem.replaceChildren();
  try {
    return await act();
  } catch (thrown) {
    const error = toError(thrown);
    problem.replaceChildren(write(error));
    return error;
  } finally {
    button.removeAttribute('aria-disabled');
  }
}
