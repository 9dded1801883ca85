import { z } from 'zod';
import { instant, text, whole } from '#core/record-fields';

export const held = z
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
export const available = z
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
