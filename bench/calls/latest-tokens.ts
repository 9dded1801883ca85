import { compare } from '../measuring/comparison.ts';
import { hasWrk, latencies } from '../measuring/load.ts';
import { atMost, type Figure, median } from '../measuring/table.ts';
import type { Environment } from '../stand/environment.ts';
import { LATEST, openStand } from '../stand/stand.ts';

const TOKENS = 100;
/** A rate (calls per second) at which neither request saturates the service; the number of runs; seconds per run. */
const RATE = 1_000;
const ROUNDS = 5;
const SECONDS = 2;

/** Compares the latest prices of many tokens in one call with the latest price of one token. */
export async function measure(environment: Environment): Promise<Figure[]> {
  const stand = await openStand(environment);
  const names = await stand.addTokens(TOKENS);
  const service = await stand.startService();
  const one = { url: `${service.url}${LATEST}`, keys: [stand.key] };
  const many = { ...one, url: `${service.url}/v1/prices/latest/tokens?tokenNames=${names.join()}` };

  const [times = Number.NaN] = await compare(one, many);
  const figures = [atMost(`latest prices of ${TOKENS} tokens in one call, against one token: CPU time`, times, 4, '×')];
  if (hasWrk) {
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const [mine, theirs] = [
        await latencies({ ...many, seconds: SECONDS }, RATE),
        await latencies({ ...one, seconds: SECONDS }, RATE),
      ];
      ratios.push(mine.p50 / theirs.p50);
    }
    figures.push(atMost(`… p50 at ${RATE.toLocaleString('en')} calls per second`, median(ratios), 4, '×'));
  }
  await stand.close();
  return figures;
}
