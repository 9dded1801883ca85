import { z } from 'zod';
import { text } from '#core/record-fields';
import { SOURCE_NAMES, TOLD } from './source-list.ts';

export const sourceRecord = z
  .object({
    name: z
      .enum(SOURCE_NAMES)
      .meta({ description: 'As `Quotient-Source` and `Quotient-Currency` have it', examples: ['coingecko'] }),
    title: text('Its own name', 'CoinGecko'),
    url: z.url().meta({ description: 'Its page', examples: ['https://www.coingecko.com'] }),
    tells: z.array(z.enum(TOLD)).meta({
      description: 'What it is asked for: latest prices, price history, candles, on-chain statistics, exchange rates',
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
    gaps: z.array(z.string()).optional().meta({ description: 'The spans that cannot be had, as `from/thru`' }),
    error: z.string().optional().meta({ description: 'What the node said when it refused the request' }),
    txhash: z.string().optional().meta({ description: 'The hash of a transaction that went out and may have arrived' }),
  })
  .meta({ id: 'Problem', description: 'What went wrong (RFC 9457)' });
