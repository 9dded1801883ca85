import { type Figure, quantile, seen } from '../../measuring/table.ts';
import type { Environment } from '../../stand/environment.ts';
import { LATEST, openStand, UNLIMITED } from '../../stand/stand.ts';
import { callAll } from './open-loop.ts';
import { atRandom, type Call } from './schedule.ts';

/** The number of keys that are in constant use during the measurement, and their total rate in calls per second. */
const HOT = { keys: 20, rate: 100 };
/** The plan's limit. An idle lease may keep a thousandth of the remaining calls: ten calls. */
const PLAN = 10_000;
/** A limit below which an idle lease keeps no calls: a thousandth is less than one call. */
const FEW = 500;

/** The number of users in each row, and the users' limit. */
const CALLERS = {
  alone: { count: 30, limit: PLAN },
  long: { count: 60, limit: FEW },
  polling: { count: 1_100, limit: PLAN },
  page: { count: 20, limit: PLAN },
  unseen: { count: 10_000, limit: PLAN },
} as const;

type Callers = keyof typeof CALLERS;

/** Starts one process of a checkout's service, with users who have made no calls and users who call constantly. */
export async function openCallers(environment: Environment, tree: string) {
  const stand = await openStand(environment, 0, tree);
  const hot = await stand.makeUsers(HOT.keys, UNLIMITED);
  const keys = {} as Record<Callers, string[]>;
  for (const name of Object.keys(CALLERS) as Callers[]) {
    const { count, limit } = CALLERS[name];
    keys[name] = await stand.makeUsers(count, limit);
  }
  // The default value is set, because the size of a first grant depends on it.
  const service = await stand.startService({ BURST_PER_SECOND: '50' });
  const url = `${service.url}${LATEST}`;

  return {
    keys: keys as Readonly<Record<Callers, readonly string[]>>,

    /** Makes calls while the hot keys are in use. Returns the latencies of `calls` (ms) and a figure for hot keys. */
    async call(first: readonly Call[], calls: readonly Call[]) {
      const ms = Math.max(...[...first, ...calls].map(({ at }) => at));
      const beside = atRandom(hot, { rate: HOT.rate, ms });
      const took = await callAll(url, hot, { first, calls, beside });
      return { took: took.calls, beside: inWords(took.beside) };
    },

    close: stand.close,
  };
}

export type OpenCallers = Awaited<ReturnType<typeof openCallers>>;

function inWords(took: readonly number[]): Figure {
  const [p50, p99] = [quantile(took, 0.5), quantile(took, 0.99)].map((ms) => ms.toFixed(2));
  return seen('… hot keys at the same time, p50 and p99', `${p50} ms, ${p99} ms`);
}
