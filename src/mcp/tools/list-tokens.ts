import { z } from 'zod';
import { type Clock, isoDate, SECOND } from '#core/clock';
import { memo } from '#core/memo';
import { tokenRecord } from '#prices/model/prices-records';
import type { Market } from '#prices/open-market';
import { defineTool } from '../tool.ts';
import { write } from '../tool-response.ts';

/** Long enough for a word, short enough to compare with thousands of tokens. */
const search = z.string().max(100, 'must have at most 100 characters').optional().meta({
  description: 'Only tokens whose name, symbol or title contains this text',
  fix: 'a text of up to 100 characters',
});

export function listTokens({ market, clock }: { market: Pick<Market, 'tokens'>; clock: Clock }) {
  const all = memo(market.tokens, { ttl: SECOND, clock });

  return defineTool({
    name: 'list_tokens',
    title: 'List tokens',
    description: 'The available crypto tokens: name, symbol, title, and first date with a price. Free.',
    scope: 'any',
    input: z.object({ search }),
    output: z.object({
      tokens: z.array(tokenRecord.pick({ tokenName: true, symbol: true, title: true, listed: true })),
    }),

    async call({ search = '' }) {
      const text = search.toLowerCase();
      const found = (await all()).filter(({ token: { name, symbol, title } }) =>
        [name, symbol, title.toLowerCase()].some((label) => label.includes(text)),
      );
      const tokens = found.map(({ token: { name: tokenName, symbol, title }, listedAt }) => {
        return { tokenName, symbol, title, listed: isoDate(listedAt) };
      });
      const columns = ['tokenName', 'symbol', 'title', 'listed'];
      return { written: write({ tokens }, columns, tokens), source: 'catalogue', at: clock.now() };
    },
  });
}
