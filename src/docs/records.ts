import { z } from 'zod';
import { instant, text, whole } from '#core/record-fields';
import { SOURCE_NAMES, TOLD } from './content/source-list.ts';

/* What the service has: tokens and sources; and what it says when something is wrong. */

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

const firstDate = (example: string) => z.iso.date().meta({ description: 'UTC date', examples: [example] });
const available = z
  .object({
    prices: z
      .object({
        minute: firstDate('2026-11-20'),
        hour: firstDate('2025-11-21'),
        day: firstDate('2013-04-28'),
      })
      .meta({ description: 'Of prices, market capitalisation and volume' }),
    candles: z
      .object({
        minute: firstDate('2026-11-19').nullable(),
        hour: firstDate('2026-10-22').nullable(),
        day: firstDate('2024-12-02').nullable(),
      })
      .nullable()
      .meta({ description: 'Of candles; null if no venue trades the token' }),
  })
  .meta({
    id: 'Availability',
    description:
      'The first date for which data of each interval is available, from the archive or from a source; null if there is none. Later dates can have gaps, which `Quotient-Gaps` lists.',
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
    available,
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
