import { z } from 'zod';
import type { PairOutcome } from '#catalogue/coin-facts';
import { text, textOrNull } from '#core/forms/record-fields';
import { pageOf } from '../operator-records.ts';

const id = text('The CoinGecko ID', 'dogecoin');
const symbol = text('The symbol, in lower case', 'doge');
const title = text('The name for people', 'Dogecoin');

export const coinRecord = z
  .object({ id, symbol, title })
  .meta({ id: 'Coin', description: "A coin in CoinGecko's list" });

const ORIGINS = ['built_in', 'operator', 'request'] as const;

export const servedToken = z
  .object({
    id,
    symbol,
    title,
    listed: z.iso.date().meta({ description: 'The first date for which CoinGecko has reported a price' }),
    pairs: z
      .record(z.string(), z.string())
      .meta({ description: 'The pairs with the US dollar, by exchange', examples: [{ kraken: 'XDGUSD' }] }),
    successor: textOrNull('The token whose data is returned for requests for this token', 'bitcoin'),
    origin: z.enum(ORIGINS).meta({
      description:
        "`built_in`: cannot be changed. `operator`: added by the operator. `request`: added by a user's request.",
    }),
  })
  .meta({ id: 'ServedToken', description: 'A token that the service serves' });
export type ServedToken = z.infer<typeof servedToken>;
export const tokenPage = pageOf('TokenPage', 'Served tokens, in the order in which they were added', servedToken);

const PAIR_OUTCOMES = [
  'given',
  'found',
  'left_out',
  'not_traded',
  'taken',
  'unconfirmed',
  'another',
  'unavailable',
] as const satisfies readonly PairOutcome['kind'][];

export const addedToken = z
  .object({
    token: servedToken,
    isNew: z.boolean().meta({ description: 'False if the token was served before, and its data was updated' }),
    isFirstDate: z.boolean().meta({
      description: 'False if there may be earlier prices: the CoinGecko plan does not reach back to the first price',
    }),
    symbolOf: text('The ID of the token that the symbol refers to', 'dogecoin'),
    pairs: z.array(
      z.object({
        exchange: text('The name of the exchange', 'kraken'),
        pair: textOrNull('The pair that the service uses', 'XDGUSD'),
        outcome: z.enum(PAIR_OUTCOMES).meta({
          description:
            '`given` and `left_out`: as requested. `found`: by the symbol. `not_traded`: the exchange does not trade the symbol for US dollars. `taken`: another token uses the pair. `unconfirmed` and `another`: the price is unknown or differs, so the pair may belong to another token. `unavailable`: the exchange is unavailable; add the token again.',
        }),
        candidate: textOrNull('The pair that was found but is not used', 'XDGUSD'),
      }),
    ),
  })
  .meta({ id: 'AddedToken', description: 'A token that was added or updated' });
export type AddedToken = z.infer<typeof addedToken>;
