import type { Usage } from '../client/index.ts';
import { byDay } from './by-day.ts';
import { byId, make } from './dom.ts';
import { count, fromNow, onDate, onDateAt } from './format.ts';
import { problemNote, toError } from './problem.ts';
import type { Session } from './session.ts';

/** After the last of several answers, in ms: one question for all of them. */
const SETTLE_MS = 400;
/** Below this share of the allowance the meter says so. */
const LITTLE = 0.1;

/**
 * What is left of the allowance: at once from the headers of each answer, and from the user's own figures, which
 * cost nothing, a moment after.
 */
export function openMeter(session: Session, isShown: () => boolean) {
  const panel = byId('allowance');
  const meter = byId('meter', HTMLMeterElement);
  const fill = byId('meter-fill');
  const problem = byId('allowance-problem');
  let usage: Usage | undefined;
  /** What was used when this tab began to ask. */
  let usedBefore: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function showLeft(remaining: number, limit: number): void {
    byId('left').textContent = count(remaining);
    byId('left-of').textContent = `of ${count(limit)} calls left`;
    meter.max = Math.max(1, limit);
    meter.value = remaining;
    meter.textContent = `${count(remaining)} of ${count(limit)} calls left`;
    const share = limit > 0 ? remaining / limit : 0;
    fill.style.width = `${share * 100}%`;
    fill.classList.toggle('little', share < LITTLE);
    byId('account-name').textContent = `${count(remaining)} left`;
  }

  function showDays(days: readonly { date: string; calls: number }[]): void {
    const most = Math.max(1, ...days.map(({ calls }) => calls));
    byId('daily').replaceChildren(
      ...days.map(({ date, calls }) => {
        const bar = make('span', {
          class: calls > 0 ? 'day' : 'day none',
          title: `${date}: ${count(calls)}`,
        });
        bar.style.height = `${Math.max(3, (calls / most) * 100)}%`;
        return bar;
      }),
    );
    const rows = days.map(({ date, calls }) =>
      make('tr', {}, make('td', {}, date), make('td', {}, count(calls))),
    );
    byId('daily-body').replaceChildren(...rows.toReversed());
    const [first, last] = [days[0], days.at(-1)];
    if (first && last) {
      byId('daily-from').textContent = onDate(new Date(first.date));
      byId('daily-thru').textContent = `today: ${count(last.calls)}`;
    }
  }

  function show(next: Usage): void {
    usage = next;
    usedBefore ??= next.used;
    showLeft(next.remaining, next.limit);
    const now = Date.now();
    byId('resets').textContent =
      `A new period begins ${fromNow(next.resetsAt, now)}, on ${onDateAt(next.resetsAt)}`;
    showDays(byDay(next.daily, now));
    const mine = Math.max(0, next.used - usedBefore);
    byId('visit').textContent = `Since this page was opened: ${count(mine)} ${mine === 1 ? 'call' : 'calls'}`;
  }

  async function refresh(): Promise<void> {
    if (!session.user) return;
    try {
      show(await session.client.usage());
      problem.replaceChildren();
    } catch (thrown) {
      const error = toError(thrown);
      // What is wrong with the key is told once, for the whole page.
      const isTold = error.status === 401;
      problem.replaceChildren(
        isTold ? make('p', { class: 'soft' }, 'Not loaded: see the top of the page.') : problemNote(error),
      );
    } finally {
      panel.setAttribute('aria-busy', 'false');
    }
  }

  session.onAnswer(({ allowance, path }) => {
    if (!isShown() || path.startsWith('/v1/user')) return;
    if (allowance) showLeft(allowance.remaining, allowance.limit);
    clearTimeout(timer);
    timer = setTimeout(refresh, SETTLE_MS);
  });

  return {
    refresh,
    /** The user's own figures, as they were last told. */
    get usage(): Usage | undefined {
      return usage;
    },
    /** For somebody else. */
    forget(): void {
      clearTimeout(timer);
      usage = undefined;
      usedBefore = undefined;
    },
  };
}

export type Meter = ReturnType<typeof openMeter>;
