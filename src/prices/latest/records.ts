import { z } from 'zod';
import { httpDate } from '#core/record-fields';
import { latestPrice } from '#prices/model/records';

/** The latest prices of several tokens: what one call may ask for, and for how many tokens one call of the allowance pays. */
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
