import { HOUR, MINUTE } from '#domain/clock';
import type { Budget } from '#domain/upstream/budget';
import type { RefreshSchedule } from './refresh-schedule.ts';

/** What a plan of the aggregator gives, and how it is used. */
type AggregatorPlan = {
  url: string;
  /** The header that the key goes into. */
  keyHeader?: string;
  /** How far back its history reaches. */
  historyDays: number;
  budget: Budget;
  schedule: RefreshSchedule;
};

const PUBLIC_URL = 'https://api.coingecko.com/api/v3';

/**
 * The plans of CoinGecko. The rate without a key is not published; it was measured to be lower than the demo plan's.
 * Of the demo plan's month the schedule takes 7,440 calls for the latest prices, 620 for the charts and 155 for the
 * daily series of five tokens, in 31 days; the rest is for backfill.
 */
export const AGGREGATOR_PLANS = {
  public: {
    url: PUBLIC_URL,
    historyDays: 365,
    budget: { perMinute: 10, perMonth: Number.POSITIVE_INFINITY },
    schedule: { latest: 2 * MINUTE, chart: HOUR },
  },
  demo: {
    url: PUBLIC_URL,
    keyHeader: 'x-cg-demo-api-key',
    historyDays: 365,
    budget: { perMinute: 30, perMonth: 10_000 },
    schedule: { latest: 6 * MINUTE, chart: 6 * HOUR },
  },
  pro: {
    url: 'https://pro-api.coingecko.com/api/v3',
    keyHeader: 'x-cg-pro-api-key',
    historyDays: Number.POSITIVE_INFINITY,
    budget: { perMinute: 500, perMonth: 500_000 },
    schedule: { latest: MINUTE, chart: 5 * MINUTE },
  },
} satisfies Record<string, AggregatorPlan>;

export type AggregatorPlanName = keyof typeof AGGREGATOR_PLANS;
export const AGGREGATOR_PLAN_NAMES = Object.keys(AGGREGATOR_PLANS) as AggregatorPlanName[];
export const aggregatorPlan = (name: AggregatorPlanName): AggregatorPlan => AGGREGATOR_PLANS[name];
