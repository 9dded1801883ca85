import { expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type * as client from '#client/generated/records';
import type { ProblemCode } from '#core/problems';
import type { MarketSample, TokenPrice } from '#prices/latest/records';
import type * as service from '#records';
import type { StatisticsSymbol } from '#statistics/statistics-sources';

/** What the service writes where the client gives a `Date`. */
type Written<T> = T extends Date
  ? string
  : T extends (infer One)[]
    ? Written<One>[]
    : T extends object
      ? { [Member in keyof T]: Written<T[Member]> }
      : T;

it('has the types of the service, with dates in place of what is written', () => {
  expectTypeOf<Written<client.User>>().toEqualTypeOf<service.UserRecord>();
  expectTypeOf<Written<client.Usage>>().toEqualTypeOf<service.UsageRecord>();
  expectTypeOf<Written<client.ApiKey>>().toEqualTypeOf<service.ApiKeyRecord>();
  expectTypeOf<Written<client.CreatedKey>>().toEqualTypeOf<service.CreatedKeyRecord>();
  expectTypeOf<Written<client.RegistrationPending>>().toEqualTypeOf<service.RegistrationPending>();
  expectTypeOf<client.Notices>().toEqualTypeOf<service.NoticesRecord>();
  expectTypeOf<client.NoticesWithSecret>().toEqualTypeOf<service.NoticesWithSecretRecord>();
  expectTypeOf<Written<client.LatestPrice>>().toEqualTypeOf<service.LatestPrice>();
  expectTypeOf<Written<client.TokenPrice>>().toEqualTypeOf<TokenPrice>();
  expectTypeOf<Written<client.MarketSample>>().toEqualTypeOf<MarketSample>();
  expectTypeOf<Written<client.DateSnapshot>>().toEqualTypeOf<service.DateSnapshot>();
  expectTypeOf<Written<client.PriceSeries>>().toEqualTypeOf<z.infer<typeof service.priceSeries>>();
  expectTypeOf<Written<client.Token>>().toEqualTypeOf<service.TokenRecord>();
  expectTypeOf<Omit<client.TokenStatistics, 'time'>>().toEqualTypeOf<Omit<service.TokenStatistics, 'time'>>();
  expectTypeOf<client.TokenStatistics['time']>().toEqualTypeOf<Date>();
  expectTypeOf<client.Problem>().toEqualTypeOf<z.infer<typeof service.problemRecord>>();
  expectTypeOf<client.StatisticsSymbol>().toEqualTypeOf<StatisticsSymbol>();
  expectTypeOf<client.ProblemCode>().toEqualTypeOf<ProblemCode>();
});
