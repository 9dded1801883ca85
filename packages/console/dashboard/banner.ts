import type { QuotientError } from '../../client/index.ts';
import { byId, make, makeButton } from '../core/dom.ts';
import { fromNow, onDateAt } from '../core/format.ts';
import { problemNote } from '../core/problem.ts';

/** A plan's period is a year at most; a longer wait is nobody's, in s. */
const LONGEST_S = 366 * 86_400;

type Options = { onRenew: () => void; onOtherKey: () => void; resetsAt: () => Date | undefined };

/** The banner above all panels: why the key gets no answers, and what to do about it. */
export function openBanner({ onRenew, onOtherKey, resetsAt }: Options) {
  const banner = byId('banner');
  let shown: string | undefined;

  function remedy({ code, retryAfter }: QuotientError): HTMLElement {
    if (code === 'api_key_expired') return makeButton('Renew key…', onRenew, 'primary');
    if (code !== 'quota_exceeded') return makeButton('Use another key', onOtherKey, 'primary');
    const now = Date.now();
    const reset =
      resetsAt() ??
      (retryAfter === undefined ? undefined : new Date(now + Math.min(retryAfter, LONGEST_S) * 1000));
    const when = reset ? `It resets ${fromNow(reset, now)}, on ${onDateAt(reset)}. ` : '';
    return make('p', {}, `${when}What is already on this page stays, and reading your usage is free.`);
  }

  return {
    isShown: () => shown !== undefined,
    show(error: QuotientError): void {
      // Several panels may get the same error at once.
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

export type Banner = ReturnType<typeof openBanner>;
