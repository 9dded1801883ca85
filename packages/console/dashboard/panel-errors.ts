import type { Answer, QuotientError } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { byId, make, makeButton } from '../../pages/dom.ts';
import { fromNow, onDateAt } from '../../pages/format.ts';
import {
  isExhausted,
  isKeyProblem,
  isTemporary,
  notLoaded,
  type OnError,
  problemNote,
  toError,
} from '../../pages/problem.ts';
import { openRetries } from './retries.ts';

/** Shows each error once: in the panel if it concerns only that panel, otherwise above the panels. */
export function openPanelErrors(banner: ReturnType<typeof openBanner>) {
  const connection = byId('connection');
  const retries = openRetries();
  addEventListener('online', () => retries.now(connection));

  const onError: OnError = (thrown, place, retry, hasFigures = false) => {
    const error = toError(thrown);
    const rest = hasFigures ? [] : [notLoaded()];
    if (isKeyProblem(error)) {
      place.replaceChildren(...rest);
      banner.show(error);
      // An exhausted limit resets by itself. A problem with the key requires action by the user.
      if (isExhausted(error.code) && error.retryAfter !== undefined) {
        const resume = async () => {
          banner.clear();
          await retry();
        };
        retries.add(place, place, error, resume, { isSilent: true });
      }
    } else if (isTemporary(error) && !error.code.startsWith('upstream_')) {
      place.replaceChildren(...rest);
      retries.add(connection, place, error, retry);
    } else if (isTemporary(error)) {
      retries.add(place, place, error, retry);
    } else {
      place.replaceChildren(problemNote(error));
    }
  };

  return {
    onError,
    isBlocked: banner.isShown,
    /** A successful response triggers the pending retries. An error does not, because a proxy may have sent it. */
    onAnswer({ status }: Pick<Answer, 'status'>): void {
      if (status < 400) retries.now(connection);
    },
    clear(): void {
      banner.clear();
      retries.clear();
    },
  };
}

export type PanelErrors = ReturnType<typeof openPanelErrors>;

/** The maximum time until the reset, in seconds: a period lasts at most a year. */
const MAX_RESET_S = 366 * 86_400;

type Options = { onRenew: () => void; onOtherKey: () => void; resetsAt: () => Date | undefined };

export function openBanner({ onRenew, onOtherKey, resetsAt }: Options) {
  const banner = byId('banner');
  let shown: string | undefined;

  function remedy({ code, retryAfter }: QuotientError): HTMLElement {
    if (code === 'api_key_expired') return makeButton('Renew key…', onRenew, 'primary');
    if (code !== 'quota_exceeded') return makeButton('Use another key', onOtherKey, 'primary');
    const now = serviceNow();
    const reset =
      resetsAt() ?? (retryAfter === undefined ? undefined : new Date(now + Math.min(retryAfter, MAX_RESET_S) * 1000));
    const when = reset ? `Your allowance resets ${fromNow(reset, now)}, on ${onDateAt(reset)}. ` : '';
    return make('p', {}, `${when}This page still shows the data that was loaded. Reading your usage is free.`);
  }

  return {
    isShown: () => shown !== undefined,
    show(error: QuotientError): void {
      if (shown === error.code) return;
      shown = error.code;
      banner.replaceChildren(problemNote(error, remedy(error)));
    },
    clear(): void {
      shown = undefined;
      banner.replaceChildren();
    },
  };
}
