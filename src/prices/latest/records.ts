import { z } from 'zod';
import { BUILT_IN_TOKENS } from '#catalogue/token';
import { httpDate, text } from '#core/record-fields';
import { latestPrice, priceSeries } from '#prices/model/records';

/** The most tokens of a request, and the tokens that one charged call covers. */
export const MOST_TOKENS = 100;
export const TOKENS_PER_CALL = 10;

export const tokenPrice = z
  .object({
    tokenName: z.string().meta({ description: 'The token, by its name', examples: ['bitcoin'] }),
    symbol: z.string().meta({ description: 'Its ticker symbol, in lower case', examples: ['btc'] }),
    at: httpDate
      .meta({ description: 'HTTP-date (RFC 9110), GMT; the time of the price, null where none is known' })
      .nullable(),
    change_24h: z
      .number()
      .nullable()
      .meta({
        description:
          'Change in per cent since the sample nearest to 24 hours before `at`; null where none is within 30 minutes of ' +
          'that',
        examples: [-1.25],
      }),
    ...latestPrice.shape,
    current_price: latestPrice.shape.current_price.nullable(),
  })
  .meta({
    id: 'TokenPrice',
    description: 'The latest price of one of several tokens; where none is known, every figure is null',
  });
export type TokenPrice = z.infer<typeof tokenPrice>;

/** The public sample: the latest price of a token, and its history of `days` days. */
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
