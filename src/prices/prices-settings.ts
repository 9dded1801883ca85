import { z } from 'zod';
import { httpUrl, oneOf, type Parsed, readBy, upstreamKey, whole } from '#core/forms/setting-forms';
import { mapNames } from '#core/names';
import { DEFAULT_SOURCES, parseMarketSources, parseRetention } from '#prices/model/market-sources';
import { COINGECKO_PLAN_NAMES, coinGeckoPlan, parseRefreshSchedule } from '#prices/sources/coingecko-plans';
import { EXCHANGE_NAMES, EXCHANGES, type ExchangeName } from '#prices/sources/price-sources';

type UrlVariable = `${Uppercase<ExchangeName>}_URL`;
export const urlVariable = (name: ExchangeName) => `${name.toUpperCase()}_URL` as UrlVariable;
const exchangeUrlVariables = Object.fromEntries(
  EXCHANGE_NAMES.map((name) => [urlVariable(name), httpUrl.default(EXCHANGES[name].api)]),
) as Record<UrlVariable, z.ZodDefault<typeof httpUrl>>;

export const priceVariables = {
  COINGECKO_URL: httpUrl.optional(),
  COINGECKO_API_KEY: upstreamKey.optional(),
  COINGECKO_PLAN: oneOf(...COINGECKO_PLAN_NAMES).default('public'),
  COINGECKO_CALLS_PER_MINUTE: whole(0, 1_000_000).optional(),
  COINGECKO_CALLS_PER_MONTH: whole(0, 1_000_000_000).optional(),
  COINGECKO_REFRESH: readBy(parseRefreshSchedule).default({}),
  TOKENS_ON_REQUEST: oneOf('on', 'off').default('off'),
  MARKET_SOURCES: readBy(parseMarketSources).default(DEFAULT_SOURCES),
  ...exchangeUrlVariables,
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
    tokensOnRequest: env.TOKENS_ON_REQUEST === 'on',
    marketSources: env.MARKET_SOURCES,
    exchangeUrls: mapNames(EXCHANGE_NAMES, (name) => env[urlVariable(name)]),
    retention: env.MARKET_RETENTION,
    exchangeRatesUrl: env.EXCHANGE_RATES_URL === 'off' ? undefined : env.EXCHANGE_RATES_URL,
  };
}

export type PriceSettings = ReturnType<typeof priceSettings>;
