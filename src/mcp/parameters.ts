import { z } from 'zod';
import type { Catalogue } from '#catalogue/catalogue';
import type { Clock } from '#core/clock';
import { candleInterval } from '#prices/candles/candles-routes';
import { inOrder, interval } from '#prices/history/history-routes';
import type { CandleInterval } from '#prices/model/candle';
import type { Currency } from '#prices/model/currency';
import { currencyParameters, date, tokenName, tokenNames } from '#prices/parameters';

/** Some models write a date as the time of its midnight. Any other time has another meaning and is rejected. */
const MIDNIGHT = /T00:00(:00(\.0{1,9})?)?(Z|\+00:00)$/;

type Dependencies = { catalogue: Catalogue; currencies: readonly Currency[]; clock: Clock };

export function toolParameters({ catalogue, currencies, clock }: Dependencies) {
  const isoDate = (description: string, future: boolean) =>
    z
      .string()
      .transform((text) => text.replace(MIDNIGHT, ''))
      .pipe(date(['YYYY-MM-DD'], clock, { future }))
      .meta({
        description: `${description}, YYYY-MM-DD (UTC)`,
        fix: date(['YYYY-MM-DD'], clock, { future }).meta()?.fix,
      });

  const token = tokenName(catalogue).meta({ description: 'Name or symbol, e.g. ethereum or eth' });
  const currency = currencyParameters(currencies).currency.meta({
    description: 'Currency of amounts: usd (default), another ISO code such as eur or jpy, btc or eth',
    wire: { type: 'string' },
  });

  /** A token between two dates. */
  const windowAt = (interval: z.ZodType<CandleInterval>) =>
    inOrder(
      z.object({
        tokenName: token,
        fromDate: isoDate('First date', false),
        thruDate: isoDate('Last date, included', true),
        interval,
        currency,
      }),
    );

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
    window: windowAt(interval.meta({ description: 'Spacing: minute (5 minutes), hourly or daily' })),
    candleWindow: windowAt(candleInterval.meta({ description: 'Length of a candle: minute is 5 minutes' })),
  };
}

export type ToolParameters = ReturnType<typeof toolParameters>;
