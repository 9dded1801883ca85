import { HOUR, MINUTE } from '#core/clock';
import type { Budget } from '#upstream/budget';

/**
 * How often each thing is fetched while it is requested, in milliseconds: `latest`, the latest price of all tokens;
 * `chart`, the last day of one token. The daily series is fetched once a day, when its day is ready.
 */
export type RefreshSchedule = { latest: number; chart: number };

/** What a plan of CoinGecko gives, and how it is used. */
type CoinGeckoPlan = {
  url: string;
  /** The header that the key goes into. */
  keyHeader?: string;
  /** What CoinGecko calls the plans that are used in this way, where a key tells its own plan (`GET /key`). */
  names?: readonly string[];
  /** How far back its history reaches. */
  historyDays: number;
  budget: Budget;
  schedule: RefreshSchedule;
};

const PUBLIC_URL = 'https://api.coingecko.com/api/v3';
/** Of the paid plans. */
const PAID = { url: 'https://pro-api.coingecko.com/api/v3', keyHeader: 'x-cg-pro-api-key' };

/**
 * The plans of CoinGecko, from its pricing page (coingecko.com/en/api/pricing, 2026); `pro` is Analyst and whatever is
 * larger, with Analyst's figures. The rate without a key is not published; it was measured to be lower than the demo
 * plan's. Of the demo plan's month the schedule takes 7,440 calls for the latest prices, 620 for the charts and 155 for
 * the daily series of five tokens, in 31 days; of the basic plan's 44,640, 14,880 and 155. The rest is for backfill.
 */
export const COINGECKO_PLANS = {
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
  basic: {
    ...PAID,
    names: ['Basic'],
    historyDays: 730,
    budget: { perMinute: 250, perMonth: 100_000 },
    schedule: { latest: MINUTE, chart: 15 * MINUTE },
  },
  pro: {
    ...PAID,
    names: ['Analyst', 'Lite', 'Pro', 'Enterprise'],
    historyDays: Number.POSITIVE_INFINITY,
    budget: { perMinute: 500, perMonth: 500_000 },
    schedule: { latest: MINUTE, chart: 5 * MINUTE },
  },
} satisfies Record<string, CoinGeckoPlan>;

export type CoinGeckoPlanName = keyof typeof COINGECKO_PLANS;
export const COINGECKO_PLAN_NAMES = Object.keys(COINGECKO_PLANS) as CoinGeckoPlanName[];
export const coinGeckoPlan = (name: CoinGeckoPlanName): CoinGeckoPlan => COINGECKO_PLANS[name];

/** The plan here of one that CoinGecko names; undefined for a name that is not known. */
export const planNamed = (name: string): CoinGeckoPlanName | undefined =>
  COINGECKO_PLAN_NAMES.find((one) =>
    coinGeckoPlan(one).names?.some((known) => known.toLowerCase() === name.toLowerCase()),
  );

/**
 * How many days of history to ask for at most, after so many were refused: as many as the refusal names, else as many as
 * the next smaller plan has, else half.
 */
export function reachAfterRefusal(refused: number, named?: number): number {
  if (named !== undefined && named < refused) return named;
  const smaller = COINGECKO_PLAN_NAMES.map((name) => coinGeckoPlan(name).historyDays).filter((days) => days < refused);
  return smaller.length > 0 ? Math.max(...smaller) : Math.floor(refused / 2);
}

/**
 * What a key says of its plan: its name, the calls of a minute and of a month, and how many of this month's are left, for
 * whoever uses the key.
 */
export type KeyFacts = { plan: string; perMinute: number; perMonth: number; left: number };

/** By so much of a month's calls the share of this service may be less before it is worth a word. */
const UNREMARKABLE = 0.02;

/**
 * In what a key's plan has less than is configured, or is another one; sentences without a full stop.
 *
 * @param share the calls of this month that are the service's: others may use the key
 */
export function planDifferences(
  plan: CoinGeckoPlanName,
  { perMinute, perMonth }: Budget,
  facts: KeyFacts,
  share: number,
): string[] {
  const told = planNamed(facts.plan);
  const expected = Math.min(perMonth, facts.perMonth);
  return [
    ...(told && told !== plan ? [`COINGECKO_PLAN is ${plan}, and the key's plan is ${told}`] : []),
    ...(facts.perMinute < perMinute ? [`the key has ${facts.perMinute} calls a minute, not ${perMinute}`] : []),
    ...(facts.perMonth < perMonth ? [`the key has ${facts.perMonth} calls a month, not ${perMonth}`] : []),
    ...(share < expected * (1 - UNREMARKABLE)
      ? [`others use the key: of this month's calls ${share} are left to the service, not ${expected}`]
      : []),
  ];
}
