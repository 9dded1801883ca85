/** What a holder says of a lease. All of it is absolute, so that saying it twice is saying it once. */
export type LeaseReport = {
  id: string;
  userKey: number;
  /** Unix ms. */
  periodStart: number;
  /** The UTC date of the calls, as its midnight in Unix ms. */
  date: number;
  /** Calls spent from it so far. */
  spent: number;
  /** How many of these the ledger is known to have: for a lease so old that the ledger has forgotten it. */
  settled: number;
  /** How many it should hold in all, the spent ones included; 0 asks for none. */
  want: number;
  seq: number;
  /** Gives back what is unspent, */
  close: boolean;
  /** but for so many calls at most, which may rest with a key that is idle. */
  rest: number;
};

/** What is said of a lease of which nothing is wanted and nothing given back. */
export type LeaseHeartbeat = Pick<LeaseReport, 'id' | 'spent' | 'seq'>;

/** What the ledger makes of a report. */
export type LeaseState = {
  /** 0 for a lease that was asked for and not granted. */
  granted: number;
  /** Closed by its holder, or reclaimed after it expired: nothing more may be spent from it. */
  closed: boolean;
  limit: number;
  /** What nobody has spent and nobody holds; negative when the limit was lowered below that. */
  left: number;
  /**
   * Seconds until what another holder has can be had: what rests was just asked for, and a lease may be reclaimed (0 or
   * less when it can be); null when none holds any, and for a lease that has something to spend.
   */
  reclaimableIn: number | null;
};

/** A column of reports, as an array of PostgreSQL. Reports and states travel as columns: as rows they are megabytes. */
export const columnOf = <Report>(
  reports: readonly Report[],
  of: (report: Report) => string | number | boolean,
): string => `{${reports.map(of).join()}}`;

/** States as columns, each a list as JSON; `n` is the number of the report, from 1. */
export type StateColumns = Record<'n' | keyof LeaseState, string | null>;

/** The state of each report in its place; undefined where there is none. */
export function statesOf(columns: StateColumns | undefined, reported: number): (LeaseState | undefined)[] {
  const list = <Value>(name: keyof StateColumns) => JSON.parse(columns?.[name] ?? '[]') as Value[];
  const [granted, closed, limit] = [list<number>('granted'), list<boolean>('closed'), list<number>('limit')];
  const [left, reclaimableIn] = [list<number>('left'), list<number | null>('reclaimableIn')];
  const states: (LeaseState | undefined)[] = Array.from({ length: reported });
  list<number>('n').forEach((n, i) => {
    states[n - 1] = {
      granted: granted[i] as number,
      closed: closed[i] as boolean,
      limit: limit[i] as number,
      left: left[i] as number,
      reclaimableIn: reclaimableIn[i] as number | null,
    };
  });
  return states;
}
