import { z } from 'zod';
import { httpUrl, oneOf, type Parsed, readBy, upstreamKey, whole } from '#core/setting-forms';
import { MARKET_SOURCES, parseMarketSources, parseRetention } from '#prices/model/market-sources';
import { parseRefreshSchedule } from '#prices/refresh/refresh-schedule';
import { COINGECKO_PLAN_NAMES, coinGeckoPlan } from '#prices/sources/coingecko-plans';

export const priceVariables = {
  COINGECKO_URL: httpUrl.optional(),
  COINGECKO_API_KEY: upstreamKey.optional(),
  COINGECKO_PLAN: oneOf(...COINGECKO_PLAN_NAMES).default('public'),
  COINGECKO_CALLS_PER_MINUTE: whole(0, 1_000_000).optional(),
  COINGECKO_CALLS_PER_MONTH: whole(0, 1_000_000_000).optional(),
  COINGECKO_REFRESH: readBy(parseRefreshSchedule).default({}),
  MARKET_SOURCES: readBy(parseMarketSources).default([...MARKET_SOURCES]),
  KRAKEN_URL: httpUrl.default('https://api.kraken.com/0/public'),
  MARKET_RETENTION: readBy(parseRetention).default({}),
  EXCHANGE_RATES_URL: httpUrl.or(z.literal('off')).default('https://data-api.ecb.europa.eu/service'),
};

export function priceSettings(env: Parsed<typeof priceVariables>) {
  const plan = coinGeckoPlan(env.COINGECKO_PLAN);
  return {
    coingecko: {
      url: env.COINGECKO_URL ?? plan.url,
      plan: env.COINGECKO_PLAN,
      apiKey: env.COINGECKO_API_KEY,
      budget: {
        perMinute: env.COINGECKO_CALLS_PER_MINUTE ?? plan.budget.perMinute,
        perMonth: env.COINGECKO_CALLS_PER_MONTH ?? plan.budget.perMonth,
      },
      schedule: { ...plan.schedule, ...env.COINGECKO_REFRESH },
    },
    marketSources: env.MARKET_SOURCES,
    kraken: { url: env.KRAKEN_URL },
    retention: env.MARKET_RETENTION,
    exchangeRatesUrl: env.EXCHANGE_RATES_URL === 'off' ? undefined : env.EXCHANGE_RATES_URL,
  };
}

export type PriceSettings = ReturnType<typeof priceSettings>;
