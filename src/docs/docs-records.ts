import { z } from 'zod';
import { text, textOrNull } from '#core/forms/record-fields';
import { DATA_KINDS, SOURCE_NAMES } from '#web/source-list';

export const sourceRecord = z
  .object({
    name: z.enum(SOURCE_NAMES).meta({
      description: 'The name of the source in `Quotient-Source` and `Quotient-Currency`',
      examples: ['coingecko'],
    }),
    title: text('The display name of the source', 'CoinGecko'),
    url: z.url().meta({ description: 'The website of the source', examples: ['https://www.coingecko.com'] }),
    tells: z.array(z.enum(DATA_KINDS)).meta({
      description: 'The kinds of data that the source provides',
      examples: [['latest', 'history']],
    }),
    terms: z
      .url()
      .nullable()
      .meta({
        description: 'The URL of the terms of use; null if the terms depend on the host that the operator configured',
        examples: ['https://www.coingecko.com/en/terms'],
      }),
    attribution: textOrNull(
      'The attribution to show with the data, with `title` as a link to `url`; null if the source requires no attribution',
      'Powered by CoinGecko',
    ),
  })
  .meta({ id: 'Source', description: 'A source of prices or statistics' });

export const problemRecord = z
  .looseObject({
    type: text('The URL of the page that describes the cause and the remedy', '/docs/problems#invalid_request'),
    title: z.string().meta({ examples: ['Invalid request'] }),
    status: z.int().meta({ examples: [400] }),
    detail: z.string().meta({ examples: ['query.days must be an integer from 1 to 36500.'] }),
    code: text('The code of the problem', 'invalid_request'),
    requestId: text('The ID of the request, as in the `X-Request-Id` header', '0f8fad5b-d9cb-469f-a165-70867728950e'),
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
    gaps: z.array(z.string()).optional().meta({ description: 'The periods without data, as `from/thru`' }),
    error: z.string().optional().meta({ description: 'The message from the node that rejected the request' }),
    txhash: z.string().optional().meta({ description: 'The hash of a transaction that the node may have accepted' }),
  })
  .meta({ id: 'Problem', description: 'A problem (RFC 9457)' });
