import type { Usage } from '../../client/index.ts';
import type { Allowance } from '../account/allowance.ts';
import { announce, byId } from '../core/dom.ts';
import { count, inCalls } from '../core/format.ts';
import { openStored } from '../core/storage.ts';

export const REFRESH_MINUTES = 5;
const HOUR_MS = 3_600_000;
const smallShare = new Intl.NumberFormat('en-US', { style: 'percent', maximumSignificantDigits: 2 });
const largeShare = new Intl.NumberFormat('en-US', { style: 'percent' });
const share = (part: number, whole: number) => (part / whole < 0.1 ? smallShare : largeShare).format(part / whole);

export function refreshInWords(
  calls: number,
  usage: Pick<Usage, 'limit' | 'periodStart' | 'resetsAt'> | undefined,
): string {
  const hourly = (calls * 60) / REFRESH_MINUTES;
  const words = `At most ${inCalls(hourly)} an hour`;
  if (!usage || usage.limit <= 0) return `${words}.`;
  const { limit, periodStart, resetsAt } = usage;
  const hours = (resetsAt.getTime() - periodStart.getTime()) / HOUR_MS;
  return `${words}, ${share(hourly, limit)} of your ${inCalls(limit)}; ${share(hourly * hours, limit)} if it runs for the whole period.`;
}

export const hasReached = ({ remaining, limit }: { remaining: number; limit: number }, percent: number) =>
  remaining < (percent / 100) * limit;

export function costInWords(pricesCost: number, panels: readonly string[], currency: string): string {
  const parts = [
    `${count(pricesCost)} for the prices (one for every ten tokens)`,
    ...panels.map((panel) => `1 for ${panel}`),
  ];
  const words = [`Refresh takes ${inCalls(pricesCost + panels.length)}: ${parts.join(', ')}.`];
  words.push('Data that has not changed is free.');
  if (currency !== 'usd') words.push('24h changes are those of the price in US dollars.');
  return words.join(' ');
}

const INTERVAL_MS = REFRESH_MINUTES * 60_000;
const TICK_MS = 1000;

type Options = {
  allowance: Allowance;
  isBlocked: () => boolean;
  refresh: () => Promise<void>;
};

/** Refreshes the page until only the share of the allowance is left that is reserved for other programs. */
export function openAutoRefresh({ allowance, isBlocked, refresh }: Options) {
  const toggle = byId('auto-refresh', HTMLInputElement);
  const note = byId('auto-refresh-note');
  const stopAt = byId('auto-refresh-stop', HTMLSelectElement);
  const stored = openStored('localStorage', 'quotient:auto-refresh-stop');
  const usual = stopAt.value;
  stopAt.value = stored.read() ?? usual;
  // The stored share is no longer offered.
  if (stopAt.value === '') stopAt.value = usual;
  stopAt.addEventListener('change', () => {
    stored.write(stopAt.value);
    if (toggle.checked) stops();
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

  function stops(): boolean {
    const left = allowance.left();
    const hasReserve = !left || !hasReached(left, Number(stopAt.value));
    if (hasReserve && !isBlocked()) return false;
    const reason = hasReserve ? 'the key gets no answers' : `less than ${stopAt.value}% of the allowance is left`;
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
    stop: () => stop(''),
  };
}

/** The first pause without `Retry-After`, in ms. It doubles with each retry, up to the maximum. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
/** Caps `Retry-After` at a day. */
const LONGEST_ASKED_MS = 86_400_000;

/** In ms, after `tries` failures; `retryAfter` is in seconds. */
export const pauseAfter = (tries: number, retryAfter = 0): number =>
  Math.max(
    Math.min(retryAfter * 1000, LONGEST_ASKED_MS),
    Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS),
  );
