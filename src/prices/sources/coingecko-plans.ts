import { HOUR, MINUTE, SECOND } from '#core/clock';
import { memberNames } from '#core/names';
import type { Budget } from '#upstream/budget';

/** In ms: the intervals of all latest prices, and of the last day of one token, while they are in demand. */
export type RefreshSchedule = { latest: number; chart: number };

const UNITS = { s: SECOND, m: MINUTE, h: HOUR } as const;

export function parseRefreshSchedule(text: string): Partial<RefreshSchedule> {
  const schedule: Partial<RefreshSchedule> = {};
  for (const entry of text.split(',')) {
    const match = /^\s*(latest|chart)=([1-9]\d{0,5})([smh])\s*$/.exec(entry);
    if (!match) throw new RangeError('must be a list such as latest=6m,chart=6h (integers with s, m or h)');
    const [, name, amount, unit] = match as unknown as [string, keyof RefreshSchedule, string, keyof typeof UNITS];
    schedule[name] = Number(amount) * UNITS[unit];
  }
  return schedule;
}

type CoinGeckoPlan = {
  url: string;
  keyHeader?: string;
  /** CoinGecko's names for these plans in `GET /key`. */
  names?: readonly string[];
  historyDays: number;
  budget: Budget;
  schedule: RefreshSchedule;
};

const PUBLIC_URL = 'https://api.coingecko.com/api/v3';
const PAID = { url: 'https://pro-api.coingecko.com/api/v3', keyHeader: 'x-cg-pro-api-key' };

/**
 * CoinGecko's plans from its pricing page (coingecko.com/en/api/pricing, 2026). `pro` covers Analyst and larger plans,
 * with Analyst's figures. The rate limit without a key is not published; measurements show that it is lower than the
 * demo plan's. With five tokens, the schedule of the demo plan makes 7,440 calls for latest prices, 620 for charts and
 * 155 for daily series in 31 days. The schedule of the basic plan makes 44,640, 14,880 and 155 calls. Backfill uses the
 * remaining budget.
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
export const COINGECKO_PLAN_NAMES = memberNames(COINGECKO_PLANS);
export const coinGeckoPlan = (name: CoinGeckoPlanName): CoinGeckoPlan => COINGECKO_PLANS[name];

export const planNamed = (name: string): CoinGeckoPlanName | undefined =>
  COINGECKO_PLAN_NAMES.find((plan) =>
    coinGeckoPlan(plan).names?.some((planName) => planName.toLowerCase() === name.toLowerCase()),
  );

/** The days of history after a refusal: the stated days, the next smaller plan's days, or half of the days. */
export function reachAfterRefusal(refused: number, named?: number): number {
  if (named !== undefined && named < refused) return named;
  const smaller = COINGECKO_PLAN_NAMES.map((name) => coinGeckoPlan(name).historyDays).filter((days) => days < refused);
  return smaller.length > 0 ? Math.max(...smaller) : Math.floor(refused / 2);
}

/** The plan of a key: its name, its calls per minute and per month, and the calls left this month. */
export type KeyFacts = { plan: string; perMinute: number; perMonth: number; left: number };

/** A difference of less than this share of the month's calls is not reported. */
const UNREMARKABLE = 0.02;

/** How the key's plan falls short of the configured plan. `share` is the service's part of this month's calls. */
export function planDifferences(
  plan: CoinGeckoPlanName,
  { perMinute, perMonth }: Budget,
  key: KeyFacts,
  share: number,
): string[] {
  const reported = planNamed(key.plan);
  const expected = Math.min(perMonth, key.perMonth);
  return [
    ...(reported && reported !== plan ? [`COINGECKO_PLAN is ${plan}, but the plan of the key is ${reported}`] : []),
    ...(key.perMinute < perMinute ? [`the key has ${key.perMinute} calls per minute instead of ${perMinute}`] : []),
    ...(key.perMonth < perMonth ? [`the key has ${key.perMonth} calls per month instead of ${perMonth}`] : []),
    ...(share < expected * (1 - UNREMARKABLE)
      ? [
          `another application uses the same key: ${share} of this month's calls remain for this service instead of ${expected}`,
        ]
      : []),
  ];
}
