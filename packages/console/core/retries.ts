import { type ReadonlySignal, signal } from '@preact/signals';
import type { QuotientError } from '../../client/index.ts';
import { span } from '../../pages/format.ts';

export type Retry = () => Promise<unknown>;

const TICK_MS = 1000;
const NO_RESPONSE = new Set(['network', 'timeout']);

/** Calls that failed for the same reason and are retried together. */
export type RetryGroup = {
  /** The error to show while calls wait for a retry. */
  error: ReadonlySignal<QuotientError | undefined>;
  countdown: ReadonlySignal<string>;
  /** Adds a failed call of `owner`. If `isSilent` is set, no error is shown. */
  add: (owner: object, error: QuotientError, retry: Retry, options?: { isSilent?: boolean }) => void;
  /** Removes the call of `owner`, which has succeeded or is no longer needed. */
  remove: (owner: object) => void;
  retry: () => void;
  /** Retries now if the service had not responded and the page is visible. */
  retryUnreachable: () => void;
};

type Groups = Set<{ tick: (now: number) => void; end: () => void }>;

function openGroup(groups: Groups, tick: () => void): RetryGroup {
  const error = signal<QuotientError | undefined>(undefined);
  const countdown = signal('');
  const retries = new Map<object, Retry>();
  let attempts = 0;
  /** The time of the next retry, by `performance.now()`, which never moves backward. */
  let due = 0;
  let turn = 0;

  const group = {
    tick(now: number): void {
      if (due <= now) void run();
      else if (Number.isFinite(due)) countdown.value = `Retrying in ${span(Math.ceil((due - now) / 1000) * 1000)}.`;
    },
    end(): void {
      turn += 1;
      groups.delete(group);
      retries.clear();
      attempts = 0;
      error.value = undefined;
      tick();
    },
  };

  async function run(): Promise<void> {
    const running = [...retries.values()];
    if (running.length === 0) return;
    retries.clear();
    turn += 1;
    const ownTurn = turn;
    due = Number.POSITIVE_INFINITY;
    countdown.value = 'Retrying…';
    await Promise.allSettled(running.map((retry) => retry()));
    // A call that failed again has rejoined the group.
    if (ownTurn === turn && retries.size === 0) group.end();
  }

  return {
    error,
    countdown,
    add(owner, failure, retry, { isSilent = false } = {}) {
      // Simultaneous failures count as one attempt.
      if (retries.size === 0) {
        attempts += 1;
        due = 0;
      }
      groups.add(group);
      retries.set(owner, retry);
      due = Math.max(due, performance.now() + retryDelay(attempts, failure.retryAfter));
      // Only a different error replaces the note, so that screen readers do not announce each retry.
      if (!isSilent && error.value?.code !== failure.code) error.value = failure;
      tick();
    },
    remove(owner) {
      if (retries.delete(owner) && retries.size === 0) group.end();
    },
    retry: () => void run(),
    retryUnreachable() {
      if (!document.hidden && error.value && NO_RESPONSE.has(error.value.code)) void run();
    },
  };
}

/** Retries failed calls while the page is visible, with increasing delays or after a longer `Retry-After`. */
export function openRetries() {
  const groups: Groups = new Set();
  let ticking: ReturnType<typeof setInterval> | undefined;

  function tick(): void {
    if (document.hidden || groups.size === 0) {
      clearInterval(ticking);
      ticking = undefined;
      return;
    }
    ticking ??= setInterval(tick, TICK_MS);
    for (const group of groups) group.tick(performance.now());
  }
  document.addEventListener('visibilitychange', tick);

  return {
    open: () => openGroup(groups, tick),
    clear(): void {
      for (const group of groups) group.end();
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
