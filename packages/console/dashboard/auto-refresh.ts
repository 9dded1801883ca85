import type { Allowance } from '../account/allowance.ts';
import { isLow } from '../account/allowance-level.ts';
import { announce, byId } from '../dom.ts';
import { inCalls } from '../format.ts';

const MINUTES = 5;
const INTERVAL_MS = MINUTES * 60_000;
/** How often it is looked whether a refresh is due. */
const TICK_MS = 1000;

/** What refreshing by itself costs at most. */
export const priceInWords = (calls: number) =>
  `every ${MINUTES} min: at most ${inCalls((calls * 60) / MINUTES)} an hour`;

type Options = {
  allowance: Allowance;
  /** Whether the key gets no answers. */
  isBlocked: () => boolean;
  refresh: () => Promise<void>;
};

/**
 * The switch that has the page refreshed by itself: off at first, never while nobody looks at the page, and off again
 * when little of the allowance is left, so that it does not take the last calls from others.
 */
export function openAutoRefresh({ allowance, isBlocked, refresh }: Options) {
  const toggle = byId('auto-refresh', HTMLInputElement);
  const note = byId('auto-refresh-note');
  let cost = 0;
  let due = 0;
  let ticking: ReturnType<typeof setInterval> | undefined;

  function stop(reason: string): void {
    clearInterval(ticking);
    ticking = undefined;
    toggle.checked = false;
    note.textContent = reason || priceInWords(cost);
    if (reason) announce(reason);
  }

  /** Whether it cannot go on; says why. */
  function stops(): boolean {
    const { left } = allowance;
    const hasReserve = !left || !isLow(left);
    if (hasReserve && !isBlocked()) return false;
    const reason = hasReserve ? 'the key gets no answers' : 'less than 10% of the allowance is left';
    stop(`Auto-refresh is off: ${reason}.`);
    return true;
  }

  async function tick(): Promise<void> {
    if (document.hidden || performance.now() < due || stops()) return;
    due = Number.POSITIVE_INFINITY;
    await refresh();
    due = performance.now() + INTERVAL_MS;
    if (toggle.checked) stops();
  }

  toggle.addEventListener('change', () => {
    if (!toggle.checked) return stop('');
    if (stops()) return;
    note.textContent = priceInWords(cost);
    due = performance.now() + INTERVAL_MS;
    ticking = setInterval(tick, TICK_MS);
  });
  document.addEventListener('visibilitychange', () => {
    if (ticking !== undefined) void tick();
  });

  return {
    /** Tells what one refresh costs, in calls. */
    setCost(calls: number): void {
      cost = calls;
      if (toggle.checked || !note.textContent?.includes('is off')) note.textContent = priceInWords(calls);
    },
    stop: () => stop(''),
  };
}
