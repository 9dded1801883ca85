import type { Environment } from '../environment.ts';
import { ENDLESS, LATEST, openStand } from '../stand.ts';
import { type Figure, quantile, seen } from '../table.ts';
import { callAll } from './open-loop.ts';
import { atRandom, type Call } from './schedule.ts';

/** Keys in constant use beside the others, and how often they call together, a second. */
const HOT = { keys: 20, rate: 100 };
/** What the plan grants: of what is left, a thousandth is ten calls. */
const PLAN = 10_000;
/** Of so few no thousandth is a call. */
const FEW = 500;

/** Who calls in which row: so many users, with a limit. */
const CALLERS = {
  alone: { count: 30, limit: PLAN },
  long: { count: 60, limit: FEW },
  polling: { count: 1_100, limit: PLAN },
  page: { count: 20, limit: PLAN },
  unseen: { count: 10_000, limit: PLAN },
} as const;

type Callers = keyof typeof CALLERS;

/** One process of a checkout's service, with users who have called nothing yet, and some who call all the time. */
export async function openCallers(environment: Environment, tree: string) {
  const stand = await openStand(environment, 0, tree);
  const hot = await stand.makeUsers(HOT.keys, ENDLESS);
  const keys = {} as Record<Callers, string[]>;
  for (const name of Object.keys(CALLERS) as Callers[]) {
    const { count, limit } = CALLERS[name];
    keys[name] = await stand.makeUsers(count, limit);
  }
  // As it is in use: how many calls a first grant holds goes by it.
  const service = await stand.startService({ BURST_PER_SECOND: '50' });
  const url = `${service.url}${LATEST}`;

  return {
    keys: keys as Readonly<Record<Callers, readonly string[]>>,

    /** Makes calls while the hot keys are in use; how long both took, in ms, and the hot ones' as a figure. */
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
  return seen('… hot keys beside them, p50 and p99', `${p50} ms, ${p99} ms`);
}
