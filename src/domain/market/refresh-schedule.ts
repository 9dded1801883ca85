import { HOUR, MINUTE, SECOND } from '#domain/clock';

/**
 * How often each thing is fetched while it is requested, in milliseconds: `latest`, the latest price of all tokens;
 * `chart`, the last day of one token. The daily series is fetched once a day, when its day is ready.
 */
export type RefreshSchedule = { latest: number; chart: number };

/**
 * By plan of the aggregator. `demo` is 10,000 calls a month: 31 days of this are 7,440 calls for the latest
 * prices, 620 for the charts and 155 for the daily series of five tokens; the rest is for backfill.
 */
export const REFRESH_SCHEDULES = {
  public: { latest: 2 * MINUTE, chart: HOUR },
  demo: { latest: 6 * MINUTE, chart: 6 * HOUR },
  pro: { latest: MINUTE, chart: 5 * MINUTE },
} as const satisfies Record<string, RefreshSchedule>;

const UNITS = { s: SECOND, m: MINUTE, h: HOUR } as const;

/** Reads `latest=6m,chart=6h`; what is not named is left out. Throws `RangeError` with the form that is wanted. */
export function parseRefreshSchedule(text: string): Partial<RefreshSchedule> {
  const schedule: Partial<RefreshSchedule> = {};
  for (const entry of text.split(',')) {
    const match = /^\s*(latest|chart)=([1-9]\d{0,5})([smh])\s*$/.exec(entry);
    if (!match) throw new RangeError('must be like latest=6m,chart=6h (whole numbers of s, m or h)');
    const [, name, amount, unit] = match as unknown as [
      string,
      keyof RefreshSchedule,
      string,
      keyof typeof UNITS,
    ];
    schedule[name] = Number(amount) * UNITS[unit];
  }
  return schedule;
}
