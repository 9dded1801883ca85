import { compareProcesses } from '../measuring/comparison.ts';
import { atLeast, type Figure } from '../measuring/table.ts';
import type { Environment } from '../stand/environment.ts';
import { LATEST, openStand } from '../stand/stand.ts';

/** A ratio below this value shows a slowdown, not noise. */
const NOISE = 0.97;
const KEYS = 2000;
/** Processes per checkout. */
const PROCESSES = 3;

const CALLS = {
  'latest/token': LATEST,
  'latest/tokens of three': '/v1/prices/latest/tokens?tokenNames=bitcoin,ethereum,solana',
  'history/days?days=365': '/v1/prices/history/days?tokenName=bitcoin&days=365',
  'tokens, without a key': '/v1/tokens',
};

/** Compares this checkout's rates with those of another built checkout: `BENCH_BEFORE=/path/to/checkout`. */
export async function measure(environment: Environment): Promise<Figure[]> {
  const tree = process.env.BENCH_BEFORE;
  if (tree === undefined) return [];
  const [now, before] = [await openStand(environment, KEYS), await openStand(environment, KEYS, tree)];
  const pairs: (readonly [{ url: string }, { url: string }])[] = [];
  for (let i = 0; i < PROCESSES; i++) pairs.push([await now.startService(), await before.startService()]);
  const figures: Figure[] = [];
  async function add(name: string, path: string, keysOf: (stand: typeof now) => readonly string[]): Promise<void> {
    const ratio = await compareProcesses(
      pairs.map(([mine, theirs]) => [
        { url: mine.url + path, keys: keysOf(now) },
        { url: theirs.url + path, keys: keysOf(before) },
      ]),
    );
    figures.push(atLeast(`${name}, against the other checkout`, ratio, NOISE));
  }
  for (const [name, path] of Object.entries(CALLS)) await add(name, path, ({ key }) => [key]);
  await add(`latest/token, ${KEYS} keys`, LATEST, ({ keys }) => keys);
  await now.close();
  await before.close();
  return figures;
}
