import { type Latencies, latencies, load } from './load.ts';
import { median } from './table.ts';

/** The rounds are many and short, because the load of a shared machine changes little within a short round. */
const ROUNDS = 9;
const SECONDS = 2;
const ROUNDS_OF_PAIRS = 5;
/** One stall distorts the p99 of a whole run, so latencies require more runs. */
const LATENCIES = { rounds: 25, seconds: 1 };
/** The time until all code is compiled. */
const WARM_UP_SECONDS = 10;

/** `before` runs before each measurement and prepares the target. */
type Target = {
  url: string;
  keys: readonly string[];
  br?: boolean;
  body?: string;
  before?: () => Promise<unknown>;
};

async function warmUp(targets: readonly Target[]): Promise<void> {
  for (const target of targets) await load({ ...target, seconds: WARM_UP_SECONDS });
}

/**
 * The rate of the first target relative to the rate of each other target: the median over all rounds. Each target runs
 * once per round.
 */
export async function compare(first: Target, ...others: Target[]): Promise<number[]> {
  return (await ratiosOf(first, others)).map(median);
}

/** Like `compare` for two targets, with the ratio of each round. */
export const differences = async (first: Target, other: Target): Promise<number[]> =>
  (await ratiosOf(first, [other])).flat();

async function ratiosOf(first: Target, others: readonly Target[]): Promise<number[][]> {
  const rate = async (target: Target) => {
    await target.before?.();
    return load({ ...target, seconds: SECONDS });
  };
  const ratios: number[][] = others.map(() => []);
  await warmUp([first, ...others]);
  for (let round = 0; round < ROUNDS; round++) {
    const mine = await rate(first);
    for (const [i, other] of others.entries()) ratios[i]?.push(mine / (await rate(other)));
  }
  return ratios;
}

/**
 * Like `compare`, for pairs of processes that run the same two builds: the geometric mean over the pairs. Two processes
 * of one build differ by up to a tenth for as long as they live, so a smaller difference needs several processes.
 */
export async function compareProcesses(pairs: readonly (readonly [Target, Target])[]): Promise<number> {
  await warmUp(pairs.flat());
  const ratios: number[][] = pairs.map(() => []);
  for (let round = 0; round < ROUNDS_OF_PAIRS; round++) {
    for (const [i, [one, other]] of pairs.entries()) {
      const rate = await load({ ...one, seconds: SECONDS });
      ratios[i]?.push(rate / (await load({ ...other, seconds: SECONDS })));
    }
  }
  return Math.exp(ratios.map(median).reduce((sum, ratio) => sum + Math.log(ratio), 0) / pairs.length);
}

/** The p99 (µs) of `one` relative to the p99 of `other`, at half the highest rate of `other`. */
export async function compareLatencies(one: Target, other: Target) {
  await warmUp([one, other]);
  const rate = Math.round((await load({ ...other, seconds: SECONDS })) / 2);
  const [mine, theirs]: [Latencies[], Latencies[]] = [[], []];
  const { rounds, seconds } = LATENCIES;
  for (let round = 0; round < rounds; round++) {
    mine.push(await latencies({ ...one, seconds }, rate));
    theirs.push(await latencies({ ...other, seconds }, rate));
  }
  const typical = (of: Latencies[]) => ({
    p50: median(of.map(({ p50 }) => p50)),
    p99: median(of.map(({ p99 }) => p99)),
    rate: median(of.map(({ rate }) => rate)),
  });
  const ratio = median(mine.map(({ p99 }, i) => p99 / (theirs[i] as Latencies).p99));
  return { ratio, mine: typical(mine), theirs: typical(theirs) };
}
