import type { Usage } from '../../client/index.ts';
import { announce, byId } from '../../pages/dom.ts';
import { count, inCalls, numbers } from '../../pages/format.ts';
import { openStored } from '../../pages/session/storage.ts';
import type { Allowance } from '../account/store.ts';

export const REFRESH_MINUTES = 5;
const HOUR_MS = 3_600_000;
const smallShare = numbers({ style: 'percent', maximumSignificantDigits: 2 });
const largeShare = numbers({ style: 'percent' });
const share = (part: number, whole: number) => (part / whole < 0.1 ? smallShare : largeShare).format(part / whole);

type Period = Pick<Usage, 'limit' | 'periodStart' | 'resetsAt'> | undefined;

export const refreshInWords = (calls: number, usage: Period): string =>
  hourlyInWords((calls * 60) / REFRESH_MINUTES, usage);

/** The share of the remaining allowance, in percent, below which the page makes no calls of its own accord. */
export const reservedShare = (): number => Number(byId('auto-refresh-stop', HTMLSelectElement).value);

/** A number of calls per hour, and its share of the allowance. */
export function hourlyInWords(hourly: number, usage: Period): string {
  const words = `Up to ${inCalls(hourly)} per hour`;
  if (!usage || usage.limit <= 0) return `${words}.`;
  const { limit, periodStart, resetsAt } = usage;
  const hours = (resetsAt.getTime() - periodStart.getTime()) / HOUR_MS;
  return `${words} (${share(hourly, limit)} of your ${inCalls(limit)}). A whole period would use ${share(hourly * hours, limit)}.`;
}

export const hasReached = ({ remaining, limit }: { remaining: number; limit: number }, percent: number) =>
  remaining < (percent / 100) * limit;

type PanelCost = readonly [panel: string, calls: number];

export function costInWords(pricesCost: number, panels: readonly PanelCost[], currency: string): string {
  const paid = panels.filter(([, calls]) => calls > 0);
  const parts = [
    `${count(pricesCost)} for the prices (one for every ten tokens)`,
    ...paid.map(([panel, calls]) => `${count(calls)} for ${panel}`),
  ];
  const total = paid.reduce((sum, [, calls]) => sum + calls, pricesCost);
  const words = [`Refresh costs ${inCalls(total)}: ${parts.join(', ')}.`];
  words.push('Unchanged data is free.');
  if (currency !== 'usd') words.push('24h changes are based on the price in US dollars.');
  return words.join(' ');
}

const INTERVAL_MS = REFRESH_MINUTES * 60_000;
const TICK_MS = 1000;

type Options = {
  allowance: Allowance;
  isBlocked: () => boolean;
  refresh: () => Promise<void>;
};

/** Refreshes the page until the remaining allowance falls below the share that the user reserves. */
export function openAutoRefresh({ allowance, isBlocked, refresh }: Options) {
  const toggle = byId('auto-refresh', HTMLInputElement);
  const note = byId('auto-refresh-note');
  const stopAt = byId('auto-refresh-stop', HTMLSelectElement);
  const stored = openStored('localStorage', 'quotient:auto-refresh-stop');
  const defaultShare = stopAt.value;
  stopAt.value = stored.read() ?? defaultShare;
  // An earlier version may have stored a share that is no longer an option.
  if (stopAt.value === '') stopAt.value = defaultShare;
  stopAt.addEventListener('change', () => {
    stored.write(stopAt.value);
    if (toggle.checked) stopIfNeeded();
    else stop('');
  });
  let cost = 0;
  let due = 0;
  let ticking: ReturnType<typeof setInterval> | undefined;

  const inWords = () => refreshInWords(cost, allowance.usage());

  function stop(reason: string): void {
    clearInterval(ticking);
    ticking = undefined;
    toggle.checked = false;
    note.textContent = reason || inWords();
    if (reason) announce(reason);
  }

  function stopIfNeeded(): boolean {
    const left = allowance.left();
    const hasReserve = !left || !hasReached(left, Number(stopAt.value));
    if (hasReserve && !isBlocked()) return false;
    const reason = hasReserve
      ? 'calls with this key are rejected'
      : `less than ${stopAt.value}% of the allowance is left`;
    stop(`Auto-refresh is off: ${reason}.`);
    return true;
  }

  async function tick(): Promise<void> {
    if (document.hidden || performance.now() < due || stopIfNeeded()) return;
    due = Number.POSITIVE_INFINITY;
    await refresh();
    due = performance.now() + INTERVAL_MS;
    if (toggle.checked) stopIfNeeded();
  }

  toggle.addEventListener('change', () => {
    if (!toggle.checked) return stop('');
    if (stopIfNeeded()) return;
    note.textContent = inWords();
    due = performance.now() + INTERVAL_MS;
    ticking = setInterval(tick, TICK_MS);
  });
  document.addEventListener('visibilitychange', () => {
    if (ticking !== undefined) void tick();
  });

  return {
    setCost(calls: number): void {
      cost = calls;
      if (toggle.checked || !note.textContent?.includes('is off')) note.textContent = inWords();
    },
  };
}
