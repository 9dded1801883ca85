import type { Usage } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { dayBars, lastDays } from '../../pages/dates.ts';
import { byId } from '../../pages/dom.ts';
import { count, fromNow, inCalls, onDate, onDateAt } from '../../pages/format.ts';
import { type OnError, toError } from '../../pages/problem.ts';
import { makeRow } from '../../pages/table.ts';
import { openDataAge } from '../api/figures.ts';
import type { Session } from '../api/session.ts';
import { openValidity } from './validity.ts';

/** The delay in ms from the last response of a burst to the single request that reads the usage. */
const SETTLE_MS = 400;

/** The statuses of requests that are rejected before they are charged. */
const REJECTED: ReadonlySet<number> = new Set([400, 401, 403, 429]);

type Options = {
  isVisible: () => boolean;
  onError: OnError;
  /** Undefined if the usage could not be read. */
  onUsage: (usage: Usage | undefined) => void;
};

/** Updates the panel from the headers of each response and, shortly afterwards, from the free usage call. */
export function openAllowance(session: Session, { isVisible, onError, onUsage }: Options) {
  const panel = byId('allowance');
  const meter = byId('meter', HTMLMeterElement);
  const fill = byId('meter-fill');
  const problem = byId('allowance-problem');
  const showAge = openDataAge(byId('allowance-age'));
  const validity = openValidity();
  let usage: Usage | undefined;
  let readAt: Date | undefined;
  let left: { remaining: number; limit: number } | undefined;
  let usedBefore: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function showLeft(remaining: number, limit: number): void {
    left = { remaining, limit };
    const share = limit > 0 ? remaining / limit : 0;
    const level = levelOf(remaining, limit);
    const words = `of ${count(limit)} calls left${LEVEL_WORDS[level]}`;
    byId('left').textContent = count(remaining);
    byId('left-of').textContent = words;
    byId('account-left').textContent = `${count(remaining)} left`;
    panel.dataset.level = level;
    meter.max = Math.max(1, limit);
    meter.value = remaining;
    meter.setAttribute('aria-valuetext', `${count(remaining)} ${words}`);
    fill.style.width = `${share * 100}%`;
  }

  function showDays(days: readonly { date: string; calls: number }[]): void {
    byId('daily').replaceChildren(...dayBars(days));
    const rows = days.map(({ date, calls }) => makeRow([onDate(new Date(date))], [count(calls)]));
    byId('daily-body').replaceChildren(...rows.toReversed());
    const first = days[0];
    const last = days.at(-1);
    if (first && last) {
      byId('daily-from').textContent = onDate(new Date(first.date));
      byId('daily-to').textContent = `Today: ${count(last.calls)}`;
    }
  }

  function show(next: Usage): void {
    usage = next;
    usedBefore ??= next.used;
    showLeft(next.remaining, next.limit);
    const now = serviceNow();
    const isLast = next.validUntil <= next.resetsAt;
    const when = fromNow(next.resetsAt, now);
    byId('resets').textContent = isLast
      ? `Ends when the key expires, ${when}`
      : `Resets ${when}, on ${onDateAt(next.resetsAt)}`;
    validity.show(next.validUntil, next.resetsAt);
    showDays(lastDays(next.daily, now));
    const calls = Math.max(0, next.used - usedBefore);
    byId('session-calls').textContent = `${inCalls(calls)} since you opened this page`;
  }

  async function refresh(): Promise<void> {
    if (!session.user) return;
    validity.show(session.user.validUntil, usage?.resetsAt);
    try {
      const next = await session.client.usage();
      show(next);
      onUsage(next);
      readAt = new Date(serviceNow());
      showAge(undefined);
      problem.replaceChildren();
    } catch (thrown) {
      if (!session.user) return;
      showAge(readAt && { fetchedAt: readAt, stale: undefined, failure: toError(thrown) });
      onError(thrown, problem, refresh, readAt !== undefined);
      onUsage(undefined);
    } finally {
      panel.setAttribute('aria-busy', 'false');
    }
  }

  session.onAnswer(({ allowance, path, status }) => {
    if (!isVisible() || path.startsWith('/v1/user')) return;
    if (allowance) showLeft(allowance.remaining, allowance.limit);
    // Any other request may have been charged while it was answered, and refunded since.
    if (REJECTED.has(status)) return;
    clearTimeout(timer);
    timer = setTimeout(refresh, SETTLE_MS);
  });

  return {
    refresh,
    renewal: validity.renewal,
    setAccess: validity.setAccess,
    usage: () => usage,
    left: () => left,
  };
}

export type Allowance = ReturnType<typeof openAllowance>;
type Level = 'enough' | 'short' | 'low' | 'none';

/** Below these shares of the limit, the panel warns and changes its color. */
const LOW = 0.1;
const SHORT = 0.25;

export function levelOf(remaining: number, limit: number): Level {
  if (remaining <= 0) return 'none';
  if (remaining < LOW * limit) return 'low';
  return remaining < SHORT * limit ? 'short' : 'enough';
}

export const LEVEL_WORDS: Readonly<Record<Level, string>> = {
  enough: '',
  short: ', less than 25%',
  low: ', less than 10%',
  none: ', calls are rejected until the reset',
};

/** Parses `80, 100`. The service rejects invalid numbers. */
export const thresholdsIn = (text: string): number[] =>
  text
    .split(/[\s,;%]+/)
    .filter((part) => part !== '')
    .map(Number);
