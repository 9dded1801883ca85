import type { Usage } from '../../client/index.ts';
import { count, inCalls } from '../core/format.ts';

export const REFRESH_MINUTES = 5;

const HOUR_MS = 3_600_000;

const smallShare = new Intl.NumberFormat('en-US', { style: 'percent', maximumSignificantDigits: 2 });
const largeShare = new Intl.NumberFormat('en-US', { style: 'percent' });
const share = (part: number, whole: number) =>
  (part / whole < 0.1 ? smallShare : largeShare).format(part / whole);

/** The cost of auto-refresh: calls an hour, and their share of the allowance where that is known. */
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

/** Whether less than a share of the allowance is left, in per cent. */
export const hasReached = ({ remaining, limit }: { remaining: number; limit: number }, percent: number) =>
  remaining < (percent / 100) * limit;

/** The cost of one refresh: that of the prices, and one call for each of the panels that are loaded. */
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
