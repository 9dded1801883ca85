import { z } from 'zod';
import { BUILT_IN_TOKENS } from '#catalogue/token';
import { text } from '#core/record-fields';
import { tokenPrice } from '#prices/latest/records';
import { priceSeries } from '#prices/records';

/** Of what everybody may see a sample: the latest price of a token, and so many days of its history. */
export const SAMPLE = { token: BUILT_IN_TOKENS[0], days: 30 } as const;

export const marketSample = z
  .object({
    title: text('The name of the token as people write it', 'Bitcoin'),
    latest: tokenPrice,
    history: priceSeries,
  })
  .meta({
    id: 'MarketSample',
    description: `The latest price of a token, and its history of ${SAMPLE.days} days: a point for each midnight (UTC), then the latest`,
  });
export type MarketSample = z.infer<typeof marketSample>;
