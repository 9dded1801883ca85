import { compare } from '../measuring/comparison.ts';
import { atLeast, type Figure } from '../measuring/table.ts';
import type { Environment } from '../stand/environment.ts';
import { openStand } from '../stand/stand.ts';

const TOKENS = 10;

/** Compares CoinGecko's `simple/price` with the latest prices of the same tokens, both charged. */
export async function measure(environment: Environment): Promise<Figure[]> {
  const stand = await openStand(environment);
  const names = await stand.addTokens(TOKENS);
  const service = await stand.startService();
  const own = { url: `${service.url}/v1/prices/latest/tokens?tokenNames=${names.join()}`, keys: [stand.key] };
  const other = { ...own, url: `${service.url}/api/v3/simple/price?ids=${names.join()}&vs_currencies=usd` };

  const [rate = Number.NaN] = await compare(other, own);
  await stand.close();
  return [atLeast(`CoinGecko's \`simple/price\` of ${TOKENS} coins, against \`latest/tokens\` of the same`, rate, 0.9)];
}
