import type { Usage } from '../../client/index.ts';
import { count, inCalls, numbers } from '../../pages/format.ts';
import { costOf } from '../api/api-call.ts';

export const REFRESH_MINUTES = 5;
const HOUR_MS = 3_600_000;
const smallShare = numbers({ style: 'percent', maximumSignificantDigits: 2 });
const largeShare = numbers({ style: 'percent' });
const share = (part: number, whole: number) => (part / whole < 0.1 ? smallShare : largeShare).format(part / whole);

type Period = Pick<Usage, 'limit' | 'periodStart' | 'resetsAt'> | undefined;

/** A number of calls per hour, and its share of the allowance. */
function hourlyInWords(hourly: number, usage: Period): string {
  const words = `Up to ${inCalls(hourly)} per hour`;
  if (!usage || usage.limit <= 0) return `${words}.`;
  const { limit, periodStart, resetsAt } = usage;
  const hours = (resetsAt.getTime() - periodStart.getTime()) / HOUR_MS;
  return `${words} (${share(hourly, limit)} of your ${inCalls(limit)}). A whole period would use ${share(hourly * hours, limit)}.`;
}

/** The cost of a refresh every five minutes. */
export const refreshInWords = (calls: number, usage: Period): string =>
  hourlyInWords((calls * 60) / REFRESH_MINUTES, usage);

export const hasReached = ({ remaining, limit }: { remaining: number; limit: number }, percent: number) =>
  remaining < (percent / 100) * limit;

type PanelCost = readonly [panel: string, calls: number];
type PageCosts = {
  panels: readonly PanelCost[];
  /** The number of shown prices. */
  tokens: number;
  isLive: boolean;
  usage: Period;
};

/** What the page states about its costs. */
export function pageCosts({ panels, tokens, isLive, usage }: PageCosts) {
  const paid = panels.filter(([, calls]) => calls > 0);
  const total = paid.reduce((sum, [, calls]) => sum + calls, 0);
  const parts = paid.map(([panel, calls]) => `${count(calls)} for ${panel}`);
  const perMinute = costOf(tokens);
  const perHour = perMinute * 60;
  const live = isLive && tokens > 0 ? `Live prices cost up to ${inCalls(perHour)} an hour. ` : '';
  return {
    line: `${live}A refresh costs ${inCalls(total)}.`,
    refresh: `A refresh costs ${inCalls(total)}: ${parts.join(', ')}. Unchanged data is free.`,
    autoRefresh: refreshInWords(total, usage),
    live: `${inCalls(perMinute)} per minute while the page is visible, whatever the number of tabs. ${hourlyInWords(perHour, usage)}`,
  };
}
