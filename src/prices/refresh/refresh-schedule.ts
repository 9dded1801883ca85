import { DAY, HOUR, MINUTE, SECOND } from '#core/clock';
import type { Log } from '#core/log';
import type { CoinGecko } from '#prices/sources/coingecko';
import {
  type CoinGeckoPlanName,
  coinGeckoPlan,
  planDifferences,
  planNamed,
  type RefreshSchedule,
} from '#prices/sources/coingecko-plans';
import type { UpstreamBudget } from '#upstream/budget';
import { type Budget, leftOf, monthOf } from '#upstream/budget';
import type { Warning } from '#upstream/freshness';

const UNITS = { s: SECOND, m: MINUTE, h: HOUR } as const;

/** Reads `latest=6m,chart=6h`; what is not named is left out. Throws `RangeError` with the form that is wanted. */
export function parseRefreshSchedule(text: string): Partial<RefreshSchedule> {
  const schedule: Partial<RefreshSchedule> = {};
  for (const entry of text.split(',')) {
    const match = /^\s*(latest|chart)=([1-9]\d{0,5})([smh])\s*$/.exec(entry);
    if (!match) throw new RangeError('must be like latest=6m,chart=6h (whole numbers of s, m or h)');
    const [, name, amount, unit] = match as unknown as [string, keyof RefreshSchedule, string, keyof typeof UNITS];
    schedule[name] = Number(amount) * UNITS[unit];
  }
  return schedule;
}

/** A chart has the last day: with more than this between two charts, in ms, there is a gap. */
const LONGEST_CHART = DAY - HOUR;

/** The least time between two fetches of the latest prices that are not due, in ms. */
const LEAST_EARLY = 10 * SECOND;

/** What is fetched by the schedule: calls for the latest prices each time, and tokens whose charts and days are asked for. */
export type ScheduledLoad = { latest: number; charts: number; days: number };

/**
 * The schedule as a month's budget allows it. `early`: how soon after the last one the latest prices may be fetched before
 * they are due, for a token that nobody has asked for lately; in ms.
 */
export type ThrottledSchedule = RefreshSchedule & { early: number };

/**
 * The schedule, throttled in proportion so that the rest of the month's budget lasts to its end. The daily series are
 * not throttled: they are one call a day for each token, and a day that is not fetched is a gap. For the same reason
 * charts are throttled to a day at most; the latest prices then bear the rest. Calls that the schedule leaves over go to
 * early fetches.
 */
export function throttled(
  schedule: RefreshSchedule,
  budget: Budget,
  spent: number,
  now: number,
  load: ScheduledLoad,
): ThrottledSchedule {
  if (budget.perMonth === Number.POSITIVE_INFINITY) return { ...schedule, early: LEAST_EARLY };
  const timeLeft = monthOf(now).end - now;
  const daily = Math.ceil(timeLeft / DAY) * load.days;
  const left = leftOf(budget, spent) - daily;
  const planned = (load.latest * timeLeft) / schedule.latest + (load.charts * timeLeft) / schedule.chart;
  if (planned < left) return { ...schedule, early: Math.max(LEAST_EARLY, timeLeft / (left - planned)) };
  const early = Number.POSITIVE_INFINITY;
  const factor = left <= 0 ? Number.POSITIVE_INFINITY : planned / left;
  const longest = Math.max(schedule.chart, LONGEST_CHART);
  if (schedule.chart * factor <= longest) {
    return { latest: schedule.latest * factor, chart: schedule.chart * factor, early };
  }
  const leftForLatest = left - (load.charts * timeLeft) / longest;
  const latest = leftForLatest <= 0 ? Number.POSITIVE_INFINITY : (load.latest * timeLeft) / leftForLatest;
  return { latest, chart: longest, early };
}

type Dependencies = {
  source: Pick<CoinGecko, 'key' | 'historyDays' | 'limitReach'>;
  budget: Pick<UpstreamBudget<RefreshSchedule>, 'lower' | 'reading'>;
  configured: { plan: CoinGeckoPlanName; budget: Budget; apiKey?: string | undefined };
  log: Log;
};

/**
 * Asks the aggregator, where there is a key of a paid plan, what that plan is. Where it has less than what is configured,
 * the service goes on with that: calls of a minute and of a month, and how far back the history reaches. Nobody waits for
 * it, and when it fails what is configured holds.
 */
export function createKeyCheck({ source, budget, configured, log }: Dependencies) {
  const { plan } = configured;
  const { historyDays, names } = coinGeckoPlan(plan);
  let differences: string[] = [];

  async function check(): Promise<void> {
    const facts = await source.key();
    budget.lower(facts, facts.left);
    const told = planNamed(facts.plan);
    if (told) source.limitReach(coinGeckoPlan(told).historyDays);
    differences = planDifferences(plan, configured.budget, facts, budget.reading().limit);
    if (differences.length === 0) return;
    log.warn({ upstream: 'coingecko', ...facts, differences }, 'API plan smaller than configured');
  }

  const isPaid = names !== undefined;
  const done =
    isPaid && configured.apiKey
      ? check().catch((err: unknown) => {
          log.warn({ err }, 'API plan check failed');
        })
      : Promise.resolve();

  return {
    /** Resolves when the aggregator was asked, whatever came of it. */
    done,

    /** In what the plan has less than is configured. */
    warnings(): Warning[] {
      const days = source.historyDays();
      const reach = `history reaches back ${days} days, not as far as the plan in COINGECKO_PLAN`;
      const all = [...differences, ...(days < historyDays ? [reach] : [])];
      return all.map((difference) => ({ about: 'plan', difference }));
    },
  };
}

export type KeyCheck = ReturnType<typeof createKeyCheck>;
