/** What each of CoinGecko's plans gives, and what a key of a paid plan calls it. */
export const PLANS = {
  public: { historyDays: 365 },
  demo: { historyDays: 365 },
  basic: { historyDays: 730, name: 'Basic', perMinute: 250, perMonth: 100_000 },
  pro: { historyDays: Number.POSITIVE_INFINITY, name: 'Analyst', perMinute: 500, perMonth: 500_000 },
} as const;

export type PlanName = keyof typeof PLANS;
