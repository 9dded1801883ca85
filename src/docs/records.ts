import { z } from 'zod';
import { text } from '#core/record-fields';
import { DATA_KINDS, SOURCE_NAMES } from './source-list.ts';

export const sourceRecord = z
  .object({
    name: z
      .enum(SOURCE_NAMES)
      .meta({ description: 'The name used in `Quotient-Source` and `Quotient-Currency`', examples: ['coingecko'] }),
    title: text('The display name', 'CoinGecko'),
    url: z.url().meta({ description: "The source's website", examples: ['https://www.coingecko.com'] }),
    tells: z.array(z.enum(DATA_KINDS)).meta({
      description:
        'The data that the source provides: latest prices, price history, candles, on-chain statistics, exchange rates',
      examples: [['latest', 'history']],
    }),
    terms: z
      .url()
      .nullable()
      .meta({
        description: 'The URL of the terms; null if they depend on the host that the operator has configured',
        examples: ['https://www.coingecko.com/en/terms'],
      }),
    attribution: z
      .string()
      .nullable()
      .meta({
        description: 'The attribution to show with the data, in which `title` links to `url`; null if none is required',
        examples: ['Powered by CoinGecko'],
      }),
  })
  .meta({ id: 'Source', description: 'A source of prices or statistics' });

export const problemRecord = z
  .looseObject({
    type: text('The page that describes the cause and remedy', '/docs/problems#invalid_request'),
    title: z.string().meta({ examples: ['Invalid request'] }),
    status: z.int().meta({ examples: [400] }),
    detail: z.string().meta({ examples: ['query.days must be an integer from 1 to 36500.'] }),
    code: text('The code of the problem', 'invalid_request'),
    requestId: text('The ID of the request, as in the X-Request-Id header', '0f8fad5b-d9cb-469f-a165-70867728950e'),
    errors: z
      .array(
        z.object({
          location: text('The location of the invalid input', 'query.days'),
          message: text('Why the input is invalid', 'must be an integer from 1 to 36500'),
          fix: text('The expected input', 'an integer from 1 to 36500'),
        }),
      )
      .optional()
      .meta({ description: 'One entry for each invalid input' }),
    gaps: z.array(z.string()).optional().meta({ description: 'The missing spans, as `from/thru`' }),
    error: z.string().optional().meta({ description: 'The message of the node that rejected the request' }),
    txhash: z
      .string()
      .optional()
      .meta({ description: 'The hash of a transaction that was sent and may have been accepted' }),
  })
  .meta({ id: 'Problem', description: 'A problem (RFC 9457)' });
