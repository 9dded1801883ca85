import { z } from 'zod';
import { BUILT_IN_TOKENS } from '#catalogue/token';
import { httpDate, text } from '#core/forms/record-fields';
import { latestPrice, priceSeries } from '#prices/model/prices-records';

export const tokenPrice = z
  .object({
    tokenName: z.string().meta({ description: 'The name of the token', examples: ['bitcoin'] }),
    symbol: z.string().meta({ description: 'The ticker symbol, in lower case', examples: ['btc'] }),
    at: httpDate
      .meta({ description: 'The time of the price: HTTP-date (RFC 9110), GMT. Null if no price is known.' })
      .nullable(),
    change_24h: z
      .number()
      .nullable()
      .meta({
        description:
          'The change in percent since the sample nearest to 24 hours before `at`. Null if no sample exists within 30 minutes of that time.',
        examples: [-1.25],
      }),
    ...latestPrice.shape,
    current_price: latestPrice.shape.current_price.nullable(),
    sparkline_24h: z
      .array(z.number().nullable())
      .optional()
      .meta({
        description:
          'With `sparkline=true`: the prices of the 24 hours up to `at`, one for each hour, with five significant digits. Null for an hour without a sample in the archive.',
        examples: [[97_012, null, 97_350]],
      }),
  })
  .meta({
    id: 'TokenPrice',
    description: 'The latest price of one of several tokens. If no price is known, all figures are null.',
  });
export type TokenPrice = z.infer<typeof tokenPrice>;

export const streamedPrice = z
  .object({
    ...tokenPrice.omit({ sparkline_24h: true }).shape,
    source: text('The source of the price; null if no price is known', 'coingecko').nullable(),
  })
  .meta({
    id: 'StreamedPrice',
    description: 'The data of a `price` event: a record of `/v1/prices/latest/tokens`, and the source of the price',
  });
export type StreamedPrice = z.infer<typeof streamedPrice>;

/** The public sample: the latest price of a token, and its history of `days` days. */
export const SAMPLE = { token: BUILT_IN_TOKENS[0], days: 30 } as const;

export const marketSample = z
  .object({
    title: text('The display name of the token', 'Bitcoin'),
    latest: tokenPrice,
    history: priceSeries,
  })
  .meta({
    id: 'MarketSample',
    description: `The latest price of a token and its ${SAMPLE.days}-day history. The history has one point per midnight (UTC). The latest price is the last point.`,
  });
export type MarketSample = z.infer<typeof marketSample>;
