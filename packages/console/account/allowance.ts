import type { Usage } from '../../client/index.ts';
import { byId, make, makeRow } from '../../pages/dom.ts';
import { count, fromNow, inCalls, onDate, onDateAt, UNKNOWN } from '../../pages/format.ts';
import { type OnError, toError } from '../../pages/problem.ts';
import { openDataAge } from '../api/figures.ts';
import type { Session } from '../api/session.ts';
import { dailyCalls } from '../core/days.ts';
import { openValidity } from './validity.ts';

/** The delay in ms from the last response of a burst to the single request that reads the usage. */
const SETTLE_MS = 400;

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
    const most = Math.max(1, ...days.map(({ calls }) => calls));
    byId('daily').replaceChildren(
      ...days.map(({ date, calls }) => {
        const kind = calls > 0 ? 'day' : 'day none';
        const bar = make('span', { class: kind, title: `${onDate(new Date(date))}: ${count(calls)}` });
        bar.style.height = `${Math.max(3, (calls / most) * 100)}%`;
        return bar;
      }),
    );
    const rows = days.map(({ date, calls }) => makeRow([onDate(new Date(date))], [count(calls)]));
    byId('daily-body').replaceChildren(...rows.toReversed());
    const [first, last] = [days[0], days.at(-1)];
    if (first && last) {
      byId('daily-from').textContent = onDate(new Date(first.date));
      byId('daily-to').textContent = `Today: ${count(last.calls)}`;
    }
  }

  function show(next: Usage): void {
    usage = next;
    usedBefore ??= next.used;
    showLeft(next.remaining, next.limit);
    const now = Date.now();
    const isLast = next.validUntil <= next.resetsAt;
    const when = fromNow(next.resetsAt, now);
    byId('resets').textContent = isLast
      ? `Ends when the key expires, ${when}`
      : `Resets ${when}, on ${onDateAt(next.resetsAt)}`;
    validity.show(next.validUntil, next.resetsAt);
    showDays(dailyCalls(next.daily, now));
    const made = Math.max(0, next.used - usedBefore);
    byId('session-calls').textContent = `${inCalls(made)} since you opened this page`;
  }

  async function refresh(): Promise<void> {
    if (!session.user) return;
    validity.show(session.user.validUntil, usage?.resetsAt);
    try {
      const next = await session.client.usage();
      show(next);
      onUsage(next);
      readAt = new Date();
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
    // A rejected request is not charged.
    if (status >= 400) return;
    clearTimeout(timer);
    timer = setTimeout(refresh, SETTLE_MS);
  });

  return {
    refresh,
    renewal: validity.renewal,
    setAccess: validity.setAccess,
    usage: () => usage,
    left: () => left,
    clear(): void {
      clearTimeout(timer);
      validity.clear();
      usage = undefined;
      usedBefore = undefined;
      readAt = undefined;
      left = undefined;
      showAge(undefined);
      byId('left').textContent = UNKNOWN;
      delete panel.dataset.level;
      byId('account-left').textContent = '';
      for (const id of ['left-of', 'resets', 'session-calls', 'daily-to']) byId(id).textContent = '\u00a0';
      for (const place of [problem, byId('daily'), byId('daily-body')]) place.replaceChildren();
    },
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
