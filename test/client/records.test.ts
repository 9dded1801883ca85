import { expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type * as client from '#client/generated/records';
import type { ProblemCode } from '#core/problems';
import type * as docs from '#docs/docs-records';
import type * as keys from '#keys/keys-records';
import type * as notifications from '#notifications/notifications-records';
import type { MarketSample, StreamedPrice, TokenPrice } from '#prices/latest/latest-records';
import type * as prices from '#prices/model/prices-records';
import type * as statistics from '#statistics/statistics-records';
import type { StatisticsSymbol } from '#statistics/statistics-sources';
import type * as accounts from '#users/users-records';

/** The types of times in responses, which the client converts to `Date`. */
type Written<T> = T extends Date
  ? string
  : T extends (infer One)[]
    ? Written<One>[]
    : T extends object
      ? { [Member in keyof T]: Written<T[Member]> }
      : T;

it('has the types of the service, with `Date` for times', () => {
  expectTypeOf<Written<client.User>>().toEqualTypeOf<accounts.UserRecord>();
  expectTypeOf<Written<client.Usage>>().toEqualTypeOf<accounts.UsageRecord>();
  expectTypeOf<Written<client.ApiKey>>().toEqualTypeOf<keys.ApiKeyRecord>();
  expectTypeOf<Written<client.CreatedKey>>().toEqualTypeOf<keys.CreatedKeyRecord>();
  expectTypeOf<Written<client.RegistrationPending>>().toEqualTypeOf<accounts.RegistrationPending>();
  expectTypeOf<client.Notices>().toEqualTypeOf<notifications.NoticesRecord>();
  expectTypeOf<client.NoticesWithSecret>().toEqualTypeOf<notifications.NoticesWithSecretRecord>();
  expectTypeOf<Written<client.LatestPrice>>().toEqualTypeOf<prices.LatestPrice>();
  expectTypeOf<Written<client.TokenPrice>>().toEqualTypeOf<TokenPrice>();
  expectTypeOf<Written<client.StreamedPrice>>().toEqualTypeOf<StreamedPrice>();
  expectTypeOf<Written<client.MarketSample>>().toEqualTypeOf<MarketSample>();
  expectTypeOf<Written<client.DateSnapshot>>().toEqualTypeOf<prices.DateSnapshot>();
  expectTypeOf<Written<client.PriceSeries>>().toEqualTypeOf<z.infer<typeof prices.priceSeries>>();
  expectTypeOf<Written<client.Token>>().toEqualTypeOf<prices.TokenRecord>();
  expectTypeOf<Omit<client.TokenStatistics, 'time'>>().toEqualTypeOf<Omit<statistics.TokenStatistics, 'time'>>();
  expectTypeOf<client.TokenStatistics['time']>().toEqualTypeOf<Date>();
  expectTypeOf<client.Problem>().toEqualTypeOf<z.infer<typeof docs.problemRecord>>();
  expectTypeOf<client.StatisticsSymbol>().toEqualTypeOf<StatisticsSymbol>();
  expectTypeOf<client.ProblemCode>().toEqualTypeOf<ProblemCode>();
});
