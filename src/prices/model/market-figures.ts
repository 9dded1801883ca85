import { z } from 'zod';
import { mapNames } from '#core/names';

const figure = z.number().nullable();

/** The figures of CoinGecko's market record that are not part of `LatestPrice`. Money is in US dollars. */
export const marketFigures = z.object({
  image: z.string().nullable(),
  market_cap_rank: figure,
  fully_diluted_valuation: figure,
  high_24h: figure,
  low_24h: figure,
  price_change_24h: figure,
  price_change_percentage_24h: figure,
  market_cap_change_24h: figure,
  market_cap_change_percentage_24h: figure,
  roi: z.object({ times: z.number(), currency: z.string(), percentage: z.number() }).nullable(),
});
export type MarketFigures = z.infer<typeof marketFigures>;

/** The figures that another source's price would contradict. */
const OF_THE_PRICE = [
  'fully_diluted_valuation',
  'high_24h',
  'low_24h',
  'price_change_24h',
  'price_change_percentage_24h',
  'market_cap_change_24h',
  'market_cap_change_percentage_24h',
  'roi',
] as const satisfies readonly (keyof MarketFigures)[];
const NO_FIGURES_OF_THE_PRICE = mapNames(OF_THE_PRICE, () => null);

/** The figures that are served with a price from another source. */
export const besidesOtherPrice = (figures: MarketFigures): MarketFigures => ({
  ...figures,
  ...NO_FIGURES_OF_THE_PRICE,
});
