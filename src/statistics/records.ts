import { z } from 'zod';
import { text } from '#core/record-fields';
import { FIGURE_SCHEMAS, tally } from './figures.ts';

export const tokenStatistics = z
  .object({
    id: tally("The source's own number of the chain", 1182),
    time: z.int().meta({ description: "The sample's own time, Unix seconds", examples: [1659484800] }),
    symbol: text('In upper case', 'BTC'),
    partner_symbol: text("The source's own symbol; `symbol` where it has none", 'BTC'),
    ...FIGURE_SCHEMAS,
  })
  .meta({ id: 'TokenStatistics', description: 'On-chain statistics of a token' });
export type TokenStatistics = z.infer<typeof tokenStatistics>;
