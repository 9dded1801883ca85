import { z } from 'zod';
import { PLAN_NAMES } from '#domain/quota/plan';
import { SOURCE_NAMES, TOLD } from '#domain/source-list';
import { FIGURE_SCHEMAS, tally } from '#domain/statistics/figures';

/*
 * The public records. What the service answers is checked against these in the tests, and the interface
 * description is made from them. Money is in US dollars, or in the currency that was asked for.
 */

const instant = z.iso.datetime({ precision: 3 }).meta({
  description: 'ISO 8601, UTC, milliseconds',
  examples: ['2026-01-31T12:00:00.000Z'],
});

const text = (description: string, example: string) => z.string().meta({ description, examples: [example] });
const natural = z.int().nonnegative();
const whole = (description: string, example: number) => natural.meta({ description, examples: [example] });

const HTTP_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;
export const httpDate = z
  .string()
  .regex(HTTP_DATE)
  .meta({ description: 'HTTP-date (RFC 9110), GMT', examples: ['Mon, 01 Jan 2024 00:00:00 GMT'] });

export const userRecord = z
  .object({
    key: z
      .int()
      .positive()
      .meta({ description: 'The record number', examples: [1] }),
    name: z.string().meta({ examples: ['Ada Lovelace'] }),
    email: z.string().meta({ examples: ['ada@example.org'] }),
    apiKey: z.string().meta({
      description:
        'The key that was presented, or the one just made: it is shown once and only its hash is stored',
      pattern: '^qt_[0-9A-Za-z]{38}$',
      examples: ['qt_EXAMPLEEXAMPLEEXAMPLEEXAMPLEKEYS000000'],
    }),
    plan: z.enum(PLAN_NAMES),
    limit: whole('The calls allowed in one period', 10000),
    createdAt: instant,
    validUntil: instant.meta({
      description: 'ISO 8601, UTC, milliseconds; exclusive, and always a period boundary',
      examples: ['2026-02-28T12:00:00.000Z'],
    }),
    updatedAt: instant,
  })
  .meta({ id: 'User', description: 'A user, and the key that was used' });
export type UserRecord = z.infer<typeof userRecord>;

export const usageRecord = z
  .object({
    limit: whole('The calls allowed in one period', 10000),
    used: whole('Calls charged in the running period', 877),
    remaining: natural.meta({ examples: [9123] }),
    periodStart: instant,
    resetsAt: instant.meta({ description: 'When the next period begins' }),
    validUntil: instant,
    daily: z
      .array(z.object({ date: z.iso.date(), calls: z.int() }))
      .meta({ description: 'Calls charged by UTC date, the newest first, 31 at most' }),
  })
  .meta({ id: 'Usage', description: 'What was used of the allowance' });
export type UsageRecord = z.infer<typeof usageRecord>;

const figure = z.number().nullable();
const count = (description: string, example: number) => figure.meta({ description, examples: [example] });
/** Of a figure that is converted. */
const inMoney = (description: string) => `${description}, in US dollars or the currency that was asked for`;
const money = (description: string, example: number) => count(inMoney(description), example);

export const latestPrice = z
  .object({
    current_price: z.number().meta({ description: inMoney('Price of one coin'), examples: [29309] }),
    market_cap: money('Market capitalisation', 569778313238),
    total_volume: money('Volume of the last 24 hours', 7555609615),
    circulating_supply: count('Coins in circulation', 19441681),
    total_supply: count('Coins in all; null where the aggregator has none', 21000000),
    max_supply: count('Coins there can ever be; null where there is no bound', 21000000),
    ath: money('All-time high', 69045),
    ath_change_percentage: count('Change since the all-time high in US dollars, per cent', -57.54925),
    ath_date: httpDate.nullable(),
    atl: money('All-time low', 67.81),
    atl_change_percentage: count('Change since the all-time low in US dollars, per cent', 43124.38016),
    atl_date: httpDate.nullable(),
  })
  .meta({ id: 'LatestPrice', description: 'The latest price of a token and what goes with it' });
export type LatestPrice = z.infer<typeof latestPrice>;

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

export const dateSnapshot = z
  .object({
    current_price: money('Price at 00:00 UTC of the date', 2281.471576),
    market_cap: money('Market capitalisation at 00:00 UTC of the date', 274212010000),
    total_volume: money('Volume of the 24 hours before', 8000000000),
  })
  .meta({ id: 'DateSnapshot', description: 'The figures of one date' });
export type DateSnapshot = z.infer<typeof dateSnapshot>;

const points = (what: string, example: number) =>
  z
    .array(
      z.object({
        date: httpDate,
        price: z.number().meta({ description: 'The figure, whichever array it is in', examples: [example] }),
      }),
    )
    .meta({ description: `${what}: ascending, no two points with the same date` });

export const priceSeries = z
  .object({
    prices: points(inMoney('Price'), 2281.471576),
    market_cap: points(inMoney('Market capitalisation'), 274212010000),
    total_volume: points(inMoney('24-hour volume'), 8000000000),
  })
  .meta({
    id: 'PriceSeries',
    description: 'Three arrays over time; a figure that is not known is left out of its array',
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
    volume: z
      .number()
      .meta({ description: 'What was traded on the venue, in tokens', examples: [159.04484404] }),
  })
  .meta({
    id: 'Candle',
    description: 'What was traded on a venue in a stretch of time; `date` is its beginning',
  });

const held = z
  .object({
    from: instant.nullable(),
    thru: instant.nullable(),
    points: whole('How many samples', 288),
  })
  .meta({
    id: 'Holding',
    description: 'What the archive holds of one grain: first and last sample, and how many',
  });

export const tokenRecord = z
  .object({
    tokenName: text('Its name, as the other paths take it', 'bitcoin'),
    symbol: text('Its ticker symbol, in lower case', 'btc'),
    title: text('Its name as people write it', 'Bitcoin'),
    listed: z.iso.date().meta({
      description:
        'The first date of which a price is known: by the source, or by the archive where that is earlier',
      examples: ['2013-04-28'],
    }),
    endpoints: z.array(z.string()).meta({
      description: 'The paths that serve the token, under the base path',
      examples: [['/v1/prices/latest/token']],
    }),
    archive: z.object({ minute: held, hour: held, day: held }),
  })
  .meta({ id: 'Token', description: 'A token, and what is known of it' });
export type TokenRecord = z.infer<typeof tokenRecord>;

export const sourceRecord = z
  .object({
    name: z
      .enum(SOURCE_NAMES)
      .meta({ description: 'As `Quotient-Source` and `Quotient-Currency` have it', examples: ['coingecko'] }),
    title: text('Its own name', 'CoinGecko'),
    url: z.url().meta({ description: 'Its page', examples: ['https://www.coingecko.com'] }),
    tells: z.array(z.enum(TOLD)).meta({
      description:
        'What it is asked for: latest prices, price history, candles, on-chain statistics, exchange rates',
      examples: [['latest', 'history']],
    }),
    terms: z
      .url()
      .nullable()
      .meta({
        description: 'Where its terms are; null where they are those of the host that the operator has named',
        examples: ['https://www.coingecko.com/en/terms'],
      }),
    attribution: z
      .string()
      .nullable()
      .meta({
        description:
          'The words to show beside its figures, with `title` as a link to `url`; null where none are asked for',
        examples: ['Powered by CoinGecko'],
      }),
  })
  .meta({ id: 'Source', description: 'A source of prices or statistics' });
export type SourceRecord = z.infer<typeof sourceRecord>;

export const problemRecord = z
  .looseObject({
    type: text('The page that tells what to do', '/docs/problems#invalid_request'),
    title: z.string().meta({ examples: ['The request is not valid'] }),
    status: z.int().meta({ examples: [400] }),
    detail: z.string().meta({ examples: ['query.days is 0: give a whole number from 1 to 36500.'] }),
    code: text('What to tell problems apart by', 'invalid_request'),
    requestId: text('As in the header X-Request-Id', '0f8fad5b-d9cb-469f-a165-70867728950e'),
    errors: z
      .array(
        z.object({
          location: text('Where it is', 'query.days'),
          message: text('What is wrong', 'is missing'),
          fix: text('What is wanted', 'give a whole number from 1 to 36500'),
        }),
      )
      .optional()
      .meta({ description: 'One entry for each fault of the input' }),
    gaps: z
      .array(z.string())
      .optional()
      .meta({ description: 'The spans that cannot be had, as `from/thru`' }),
    error: z.string().optional().meta({ description: 'What the node said when it refused the request' }),
    txhash: z
      .string()
      .optional()
      .meta({ description: 'The hash of a transaction that went out and may have arrived' }),
  })
  .meta({ id: 'Problem', description: 'What went wrong (RFC 9457)' });
