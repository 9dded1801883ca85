import { z } from 'zod';
import type { Catalogue } from '#catalogue/catalogue';
import type { Clock } from '#core/clock';
import { tokenNames } from '#prices/latest/token-names';
import type { Currency } from '#prices/model/currency';
import { currencyParameters, date, tokenName } from '#prices/parameters';
import { inOrder, interval } from '#prices/routes-history';

type Dependencies = { catalogue: Catalogue; currencies: readonly Currency[]; clock: Clock };

/** The parameters of the routes, with short descriptions for models. */
export function toolParameters({ catalogue, currencies, clock }: Dependencies) {
  const isoDate = (description: string, future: boolean) =>
    date('YYYY-MM-DD', clock, { future }).meta({ description: `${description}, YYYY-MM-DD (UTC)` });

  const token = tokenName(catalogue).meta({ description: 'Name or symbol, e.g. ethereum or eth' });
  const currency = currencyParameters(currencies).currency.meta({
    description: 'Currency of amounts: usd (default), another ISO code such as eur or jpy, btc or eth',
    wire: { type: 'string' },
  });

  return {
    token,
    tokens: z
      .array(z.string(), 'must be an array of names or symbols')
      .transform((names) => names.join(','))
      .pipe(tokenNames(catalogue))
      .meta({
        description: 'Up to 100 names or symbols, e.g. ["btc","eth"]',
        fix: 'an array of 1 to 100 names or symbols of tokens',
      }),
    currency,
    date: isoDate('The date', false),
    /** A token between two dates. */
    window: inOrder(
      z.object({
        tokenName: token,
        fromDate: isoDate('First date', false),
        thruDate: isoDate('Last date, included', true),
        interval: interval.meta({ description: 'Spacing: minute (5 minutes), hourly or daily' }),
        currency,
      }),
    ),
  };
}

export type ToolParameters = ReturnType<typeof toolParameters>;
