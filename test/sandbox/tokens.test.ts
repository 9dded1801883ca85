import { expect, test } from 'vitest';
import { BUILT_IN_TOKENS, type Token } from '#catalogue/token';
import { COINGECKO_PLANS } from '#prices/sources/coingecko-plans';
import { PLANS } from '#sandbox/errors';
import { sandboxToken } from '#sandbox/tokens';

test('the built-in tokens and the plans are those of the service', () => {
  for (const { statistics: _, pairs, ...token } of BUILT_IN_TOKENS as readonly Token[]) {
    expect(sandboxToken(token.name)).toMatchObject({ ...token, pair: pairs.kraken, product: pairs.coinbase });
  }
  expect(Object.keys(PLANS)).toEqual(Object.keys(COINGECKO_PLANS));
  for (const [name, { historyDays, ...key }] of Object.entries(PLANS)) {
    const plan = COINGECKO_PLANS[name as keyof typeof PLANS];
    expect(plan.historyDays).toBe(historyDays);
    if (!('name' in key)) continue;
    const { name: title, ...budget } = key;
    expect(plan).toMatchObject({ budget, names: expect.arrayContaining([title]) });
  }
});
