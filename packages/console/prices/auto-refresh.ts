import { effect, signal, untracked } from '@preact/signals';
import { openStored } from '../../pages/session/storage.ts';
import type { Allowance } from '../account/store.ts';
import { hasReached, REFRESH_MINUTES } from './costs.ts';

export const RESERVES = ['5', '10', '25', '50'] as const;
type Reserve = (typeof RESERVES)[number];
const DEFAULT_RESERVE: Reserve = '10';

const INTERVAL_MS = REFRESH_MINUTES * 60_000;
const TICK_MS = 1000;

/** The share of the allowance, in percent, below which the page makes no calls of its own accord. */
export function openReserve(allowance: Pick<Allowance, 'left'>) {
  const stored = openStored('localStorage', 'quotient:auto-refresh-stop');
  // An earlier version may have stored a share that is no longer an option.
  const percent = signal<Reserve>(RESERVES.find((one) => one === stored.read()) ?? DEFAULT_RESERVE);
  return {
    percent,
    set(next: Reserve): void {
      percent.value = next;
      stored.write(next);
    },
    /** Why the page makes no calls, or undefined if enough of the allowance is left. */
    fault(): string | undefined {
      const left = allowance.left();
      const isReached = left && hasReached(left, Number(percent.value));
      return isReached ? `less than ${percent.value}% of the allowance is left` : undefined;
    },
  };
}

export type AllowanceReserve = ReturnType<typeof openReserve>;

type Options = {
  reserve: AllowanceReserve;
  isBlocked: () => boolean;
  refresh: () => Promise<void>;
};

/** Refreshes the page until the remaining allowance falls below the reserve. */
export function openAutoRefresh({ reserve, isBlocked, refresh }: Options) {
  const isOn = signal(false);
  /** Why the page has turned itself off. */
  const reason = signal('');
  let due = 0;
  let ticking: ReturnType<typeof setInterval> | undefined;

  function stop(why = ''): void {
    clearInterval(ticking);
    ticking = undefined;
    isOn.value = false;
    reason.value = why && `Auto-refresh is off: ${why}.`;
  }

  function stopIfNeeded(): boolean {
    const fault = reserve.fault() ?? (isBlocked() ? 'calls with this key are rejected' : undefined);
    if (fault) stop(fault);
    return fault !== undefined;
  }

  async function tick(): Promise<void> {
    if (document.hidden || performance.now() < due || stopIfNeeded()) return;
    due = Number.POSITIVE_INFINITY;
    await refresh();
    due = performance.now() + INTERVAL_MS;
    if (isOn.value) stopIfNeeded();
  }
  document.addEventListener('visibilitychange', () => {
    if (ticking !== undefined) void tick();
  });

  effect(() => {
    void reserve.percent.value;
    untracked(() => {
      if (isOn.value) stopIfNeeded();
      else reason.value = '';
    });
  });

  return {
    isOn,
    reason,
    turn(on: boolean): void {
      stop();
      if (!on || stopIfNeeded()) return;
      isOn.value = true;
      due = performance.now() + INTERVAL_MS;
      ticking = setInterval(tick, TICK_MS);
    },
  };
}
