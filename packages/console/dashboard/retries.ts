import { QuotientError } from '../../client/index.ts';
import { make, makeButton } from '../../pages/dom.ts';
import { span } from '../../pages/format.ts';
import { problemNote } from '../../pages/problem.ts';

export type Retry = () => Promise<unknown>;

type Group = {
  retries: Map<Element, Retry>;
  attempts: number;
  /** The time of the next retry, by `performance.now()`, which never moves backward. */
  due: number;
  code: string;
  note: HTMLElement | undefined;
  countdown: HTMLElement | undefined;
};

const TICK_MS = 1000;
const NO_RESPONSE = new Set(['network', 'timeout']);

/** Retries failed calls while the page is visible, with increasing delays or after a longer `Retry-After`. */
export function openRetries() {
  const groups = new Map<Element, Group>();
  let ticking: ReturnType<typeof setInterval> | undefined;

  async function run(place: Element, group: Group): Promise<void> {
    const retries = [...group.retries.values()];
    group.retries.clear();
    group.due = Number.POSITIVE_INFINITY;
    if (group.countdown) group.countdown.textContent = 'Retrying…';
    await Promise.allSettled(retries.map((retry) => retry()));
    // A call that failed again has rejoined the group.
    if (group.retries.size === 0 && groups.get(place) === group) end(place);
  }

  function end(place: Element): void {
    groups.get(place)?.note?.remove();
    groups.delete(place);
    tick();
  }

  function tick(): void {
    if (document.hidden || groups.size === 0) {
      clearInterval(ticking);
      ticking = undefined;
      return;
    }
    ticking ??= setInterval(tick, TICK_MS);
    const now = performance.now();
    for (const [place, group] of groups) {
      if (group.due <= now) void run(place, group);
      else if (group.countdown && Number.isFinite(group.due)) {
        group.countdown.textContent = `Retrying in ${span(Math.ceil((group.due - now) / 1000) * 1000)}.`;
      }
    }
  }
  document.addEventListener('visibilitychange', tick);

  /** Screen readers skip the countdown. */
  function show(place: Element, group: Group, error: QuotientError): void {
    group.countdown = make('p', { 'aria-hidden': 'true' });
    const now = makeButton('Retry now', () => void run(place, group), 'small');
    const note = problemNote(new QuotientError(error.code, error.detail, { ...error, retryAfter: undefined }), now);
    note.insertBefore(group.countdown, note.lastElementChild);
    note.insertBefore(make('p', { class: 'unseen' }, 'The page retries automatically.'), group.countdown);
    group.note = note;
    place.replaceChildren(note);
  }

  return {
    /** Adds a failed call of `panel`. Unless `isSilent` is set, `place` shows a note. */
    add(place: Element, panel: Element, error: QuotientError, retry: Retry, { isSilent = false } = {}): void {
      let group = groups.get(place);
      if (!group) {
        group = { retries: new Map(), attempts: 0, due: 0, code: '', note: undefined, countdown: undefined };
        groups.set(place, group);
      }
      // Simultaneous failures count as one attempt.
      if (group.retries.size === 0) {
        group.attempts += 1;
        group.due = 0;
      }
      group.retries.set(panel, retry);
      group.due = Math.max(group.due, performance.now() + retryDelay(group.attempts, error.retryAfter));
      // Only a different error replaces the note, so that screen readers do not announce each retry.
      if (!isSilent && (group.code !== error.code || !group.note?.isConnected)) {
        group.code = error.code;
        show(place, group, error);
      }
      tick();
    },

    now(place: Element): void {
      const group = groups.get(place);
      if (document.hidden || !group || group.retries.size === 0) return;
      if (NO_RESPONSE.has(group.code)) void run(place, group);
    },

    clear(): void {
      for (const place of [...groups.keys()]) end(place);
    },
  };
}

/** The first and the longest delay between retries, in ms. Each retry doubles the delay. */
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 60_000;
/** The longest `Retry-After` that the page honors: one day, in ms. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/** Returns the delay in ms after `attempts` failures. `retryAfter` is in seconds. */
export const retryDelay = (attempts: number, retryAfter = 0): number =>
  Math.max(
    Math.min(retryAfter * 1000, MAX_RETRY_AFTER_MS),
    Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), MAX_PAUSE_MS),
  );
