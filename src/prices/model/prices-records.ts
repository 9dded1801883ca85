import { z } from 'zod';
import { httpDate, instant, text, whole } from '#core/forms/record-fields';
import { mapNames } from '#core/names';

/* Figures are in US dollars or in the requested currency. */

const figure = z.number().nullable();
const count = (description: string, example: number) => figure.meta({ description, examples: [example] });
const inMoney = (description: string) => `${description}, in US dollars or the requested currency`;
const money = (description: string, example: number) => count(inMoney(description), example);

const when = (description: string, example: string) =>
  httpDate.nullable().meta({ description: `${description}: HTTP-date (RFC 9110), GMT`, examples: [example] });

export const latestPrice = z
  .object({
    current_price: z.number().meta({ description: inMoney('Price of one coin'), examples: [29309] }),
    market_cap: money('Market capitalization', 569778313238),
    total_volume: money('Trading volume in the last 24 hours', 7555609615),
    circulating_supply: count('Circulating supply', 19441681),
    total_supply: count('Total supply; null if the source does not report it', 21000000),
    max_supply: count('Maximum supply; null if the supply is unlimited', 21000000),
    ath: money('All-time high', 69045),
    ath_change_percentage: count('Change since the all-time high in US dollars, in percent', -57.54925),
    ath_date: when('Time of the all-time high', 'Wed, 10 Nov 2021 14:24:11 GMT'),
    atl: money('All-time low', 67.81),
    atl_change_percentage: count('Change since the all-time low in US dollars, in percent', 43124.38016),
    atl_date: when('Time of the all-time low', 'Sat, 06 Jul 2013 00:00:00 GMT'),
  })
  .meta({
    id: 'LatestPrice',
    description: 'The latest price of a token, with its supply and its all-time high and low',
  });
export type LatestPrice = z.infer<typeof latestPrice>;

export const dateSnapshot = z
  .object({
    current_price: money('Price at 00:00 UTC on the date', 2281.471576),
    market_cap: money('Market capitalization at 00:00 UTC on the date', 274212010000),
    total_volume: money('Trading volume in the preceding 24 hours', 8000000000),
  })
  .meta({ id: 'DateSnapshot', description: 'The price, market capitalization and volume on one date' });
export type DateSnapshot = z.infer<typeof dateSnapshot>;

const points = (what: string, example: number) =>
  z
    .array(
      z.object({
        date: httpDate,
        price: z.number().meta({ description: 'The value at this time', examples: [example] }),
      }),
    )
    .meta({ description: `${what}, oldest first, without duplicate times` });

export const priceSeries = z
  .object({
    prices: points(inMoney('Price'), 2281.471576),
    market_cap: points(inMoney('Market capitalization'), 274212010000),
    total_volume: points(inMoney('24-hour volume'), 8000000000),
  })
  .meta({
    id: 'PriceSeries',
    description:
      'The prices, market capitalizations and volumes as three arrays of points. Unknown values are omitted.',
  });

const traded = (description: string, example: number) =>
  z.number().meta({ description: inMoney(description), examples: [example] });

export const candle = z
  .object({
    date: httpDate,
    open: traded('The first price', 84001.9),
    high: traded('The highest price', 84075.9),
    low: traded('The lowest price', 83351.5),
    close: traded('The last price', 83777.5),
    volume: z.number().meta({ description: 'Volume traded on Kraken, in tokens', examples: [159.04484404] }),
  })
  .meta({ id: 'Candle', description: 'The trades on Kraken in one interval. `date` is the start of the interval.' });

export const held = z
  .object({ from: instant.nullable(), thru: instant.nullable(), points: whole('Number of samples', 288) })
  .meta({
    id: 'Holding',
    description: 'The archived data with one interval: the first and the last sample, and the number of samples',
  });

const firstDate = (example: string) => z.iso.date().meta({ description: 'UTC date', examples: [example] });
export const available = z
  .object({
    prices: z
      .object({ minute: firstDate('2026-11-20'), hour: firstDate('2025-11-21'), day: firstDate('2013-04-28') })
      .meta({ description: 'Prices, market capitalization and volume' }),
    candles: z
      .object({
        minute: firstDate('2026-11-19').nullable(),
        hour: firstDate('2026-10-22').nullable(),
        day: firstDate('2024-12-02').nullable(),
      })
      .nullable()
      .meta({ description: 'Candles; null if the token is not traded on Kraken' }),
  })
  .meta({
    id: 'Availability',
    description:
      'The first date for which the archive or a source has data, for each interval. Null if no data is available. Later dates can have gaps. `Quotient-Gaps` lists the gaps of a response.',
  });

export const tokenRecord = z
  .object({
    tokenName: text('The name of the token, for the parameters of other endpoints', 'bitcoin'),
    symbol: text('The ticker symbol, in lower case', 'btc'),
    title: text('The display name of the token', 'Bitcoin'),
    listed: z.iso.date().meta({
      description: 'The first date with a known price, according to the source or the archive',
      examples: ['2013-04-28'],
    }),
    inactive: z.boolean().meta({
      description:
        "Whether the sources no longer report a current price: the last price was older than a day, or unknown, in the source's last response about the token",
      examples: [false],
    }),
    lastPriceAt: instant.nullable().meta({ description: 'The time of the last known price' }),
    successor: text('The token whose data is returned for requests for this token', 'terra-luna-2').nullable(),
    endpoints: z.array(z.string()).meta({
      description: 'The paths that serve the token, relative to the base path',
      examples: [['/v1/prices/latest/token']],
    }),
    archive: z.object({ minute: held, hour: held, day: held }),
    available,
  })
  .meta({ id: 'Token', description: 'A token and the data that is available for it' });
export type TokenRecord = z.infer<typeof tokenRecord>;

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
