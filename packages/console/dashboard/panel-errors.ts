import type { Answer, QuotientError } from '../../client/index.ts';
import { byId } from '../core/dom.ts';
import { isKeyProblem, isTemporary, notLoaded, type OnError, problemNote, toError } from '../core/problem.ts';
import type { Banner } from './banner.ts';
import { openRetries } from './retries.ts';

/** Whether the error is about what one panel shows, and not about the service. */
const isPanelsOwn = ({ code }: QuotientError) => code.startsWith('upstream_');

/** The errors of all panels: each is told once, above the panels if it is not one panel's own. */
export function openPanelErrors(banner: Banner) {
  const connection = byId('connection');
  const retries = openRetries();
  addEventListener('online', () => retries.now(connection));

  const onError: OnError = (thrown, place, retry, hasFigures = false) => {
    const error = toError(thrown);
    const rest = hasFigures ? [] : [notLoaded()];
    if (isKeyProblem(error)) {
      place.replaceChildren(...rest);
      banner.show(error);
      // An allowance comes back by itself; a key does not.
      if (error.code === 'quota_exceeded' && error.retryAfter !== undefined) {
        const until = async () => {
          banner.clear();
          await retry();
        };
        retries.add(place, place, error, until, { isTold: true });
      }
    } else if (isTemporary(error) && !isPanelsOwn(error)) {
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
    /** Has what got no answer tried again at once when the service gives one; a 429 is none, and may be a proxy's. */
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
