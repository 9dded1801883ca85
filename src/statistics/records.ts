import { z } from 'zod';
import { text } from '#core/record-fields';
import { FIGURE_SCHEMAS, tally } from './figures.ts';

export const tokenStatistics = z
  .object({
    id: tally("The source's identifier for the chain", 1182),
    time: z.int().meta({ description: 'The time of the sample, in Unix seconds', examples: [1659484800] }),
    symbol: text('The token symbol, in uppercase', 'BTC'),
    partner_symbol: text(
      'The symbol that the source uses for the token; the same as `symbol` if the source has no symbol of its own',
      'BTC',
    ),
    ...FIGURE_SCHEMAS,
  })
  .meta({ id: 'TokenStatistics', description: 'On-chain statistics for a token' });
export type TokenStatistics = z.infer<typeof tokenStatistics>;
