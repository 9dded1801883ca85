import { load } from './load.ts';
import { median } from './table.ts';

export const ROUNDS = 5;
const SECONDS = 3;
/** Until the compiler has seen it all: the more code a call passes, the longer that takes. */
export const WARM_UP_SECONDS = 6;

/** `before` each turn, what the target needs to be as it is in use. */
export type Target = { url: string; keys: readonly string[]; br?: boolean; before?: () => Promise<unknown> };

/** The rate of the first in proportion to each of the others: medians over rounds in which they take turns. */
export async function compare(first: Target, ...others: Target[]): Promise<number[]> {
  const ratios: number[][] = others.map(() => []);
  for (const target of [first, ...others]) await load({ ...target, seconds: WARM_UP_SECONDS });
  for (let round = 0; round < ROUNDS; round++) {
    await first.before?.();
    const mine = await load({ ...first, seconds: SECONDS });
    for (const [i, other] of others.entries()) {
      ratios[i]?.push(mine / (await load({ ...other, seconds: SECONDS })));
    }
  }
  return ratios.map(median);
}
