import type { QuotientError } from '../client/index.ts';
import { byId, make } from './dom.ts';
import { fromNow, onDateAt } from './format.ts';
import { problemNote } from './problem.ts';

type Ways = { onRenew: () => void; onOtherKey: () => void; resetsAt: () => Date | undefined };

/** Tells once, above all panels, why the key gets no answers, and what can be done about it. */
export function openBlocked({ onRenew, onOtherKey, resetsAt }: Ways) {
  const place = byId('blocked');
  let told: string | undefined;

  const button = (label: string, act: () => void, kind = '') => {
    const made = make('button', { type: 'button', class: kind }, label);
    made.addEventListener('click', act);
    return made;
  };

  function remedy({ code, retryAfter }: QuotientError): HTMLElement[] {
    if (code === 'api_key_expired') return [button('Renew the key…', onRenew, 'primary')];
    if (code !== 'quota_exceeded') return [button('Use another key', onOtherKey, 'primary')];
    const now = Date.now();
    const reset = resetsAt() ?? (retryAfter === undefined ? undefined : new Date(now + retryAfter * 1000));
    const when = reset ? `It is refilled ${fromNow(reset, now)}, on ${onDateAt(reset)}. ` : '';
    return [
      make('p', {}, `${when}What is on this page stays, and the allowance can be looked at free of charge.`),
    ];
  }

  return {
    tell(error: QuotientError): void {
      // Many panels may run into it at the same time.
      if (told === error.code) return;
      told = error.code;
      place.replaceChildren(problemNote(error, ...remedy(error)));
    },
    clear(): void {
      told = undefined;
      place.replaceChildren();
    },
  };
}
