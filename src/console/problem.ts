import { QuotientError } from '../client/index.ts';
import { make } from './dom.ts';
import { span } from './format.ts';

/** What a page can say for itself of what is told by no problem of the service. */
const OWN: Readonly<Record<string, string>> = {
  network: 'The service cannot be reached. Check the connection, then try again.',
  timeout: 'There was no answer in time. Try again in a moment.',
  invalid_answer: 'What answered does not speak like this service. Is there a proxy in between?',
};

/** Whether it is the key that is at fault, so that nothing else would be answered either. */
export const isOfTheKey = ({ status, code }: QuotientError) => status === 401 || code === 'quota_exceeded';

/** Whether the same question may be answered later, or once the way to the service is free. */
export const mayPass = ({ status, code }: QuotientError) =>
  Object.hasOwn(OWN, code) || code === 'rate_limited' || (status ?? 0) >= 500;

/** Tells in a place what went wrong there; `retry` is what may mend it. */
export type OnError = (error: unknown, place: Element, retry: () => void) => void;

/** Whatever was thrown, as an error that can be shown. */
export const toError = (error: unknown): QuotientError =>
  error instanceof QuotientError ? error : new QuotientError('invalid_answer', String(error));

/** A button that tries again what failed. */
export function retryButton(retry: () => void): HTMLElement {
  const button = make('button', { type: 'button', class: 'small' }, 'Try again');
  button.addEventListener('click', retry);
  return button;
}

/** An error for people: what is wrong, what to change, and where to read on. */
export function problemNote(error: QuotientError, ...actions: HTMLElement[]): HTMLElement {
  const { code, detail, errors, retryAfter, requestId, gaps } = error;
  const own = OWN[code];
  const lines = errors.map(({ location, message, fix }) => make('li', {}, `${location} ${message}: ${fix}`));
  const facts = [
    ...(retryAfter !== undefined && code !== 'quota_exceeded'
      ? [`Try again in ${span(retryAfter * 1000)}.`]
      : []),
    ...(gaps.length > 0
      ? [`Missing: ${gaps.map(({ from, thru }) => `${from} to ${thru}`).join(', ')}.`]
      : []),
  ];
  const more = own
    ? []
    : [
        make('a', { href: `docs/problems#${code}` }, `What ${code} means`),
        requestId ? ` (request ${requestId})` : '',
      ];
  return make(
    'div',
    { class: 'note bad' },
    make('p', {}, own ?? (errors.length > 0 ? 'The request is not valid:' : detail)),
    ...(lines.length > 0 ? [make('ul', {}, ...lines)] : []),
    ...facts.map((fact) => make('p', {}, fact)),
    ...(more.length > 0 ? [make('p', { class: 'soft' }, ...more)] : []),
    ...(actions.length > 0 ? [make('div', { class: 'row' }, ...actions)] : []),
  );
}
