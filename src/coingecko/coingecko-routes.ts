import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Catalogue } from '#catalogue/catalogue';
import type { Clock } from '#core/clock';
import { createWindowSender } from '#prices/history/history-routes';
import type { OpenPrices } from '#prices/open-prices';
import type { RouteDeps } from '#server/capability';
import { upstreamProblem } from '#upstream/failures/failure';
import { createChargedSend, type RouteOptions } from './charged-routes.ts';
import { coinCharts } from './charts/charts-routes.ts';
import { coinHistory } from './charts/history-routes.ts';
import { coinDetails } from './coin-routes.ts';
import { createCoins } from './coins.ts';
import { quoteCurrencies } from './currencies.ts';
import { coinGeckoError } from './errors.ts';
import { keyUsage, type UsageOfKeys } from './key-routes.ts';
import { coinMarkets } from './markets-routes.ts';
import { coinGeckoValidator, incorrectPath } from './parameters.ts';
import { coinReference } from './reference-routes.ts';
import { simplePrices } from './simple-routes.ts';

export type CoinGeckoDeps = {
  catalogue: Catalogue;
  prices: Pick<OpenPrices, 'market' | 'candles' | 'coins' | 'requestedTokens' | 'currencies' | 'enterWindow'>;
  usageOf: UsageOfKeys;
  settings: { burstPerSecond: number };
  clock: Clock;
};

type Options = CoinGeckoDeps & Pick<RouteDeps, 'gate' | 'send' | 'report'>;

/** CoinGecko's API v3, with its errors. */
export const coinGecko: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { catalogue, prices, usageOf, settings, clock, gate, send, report } = options;
  const { market, candles, coins: coinList, requestedTokens, enterWindow } = prices;
  const coins = createCoins({ catalogue, coins: coinList, requestedTokens });
  const currencies = quoteCurrencies(prices.currencies);
  const sendCharged = createChargedSend({ gate, send });
  const sendWindow = createWindowSender(send, enterWindow);
  const shared: RouteOptions = {
    coins,
    coinList,
    catalogue,
    currencies,
    market,
    candles,
    send,
    sendCharged,
    sendWindow,
    clock,
  };

  app.setValidatorCompiler(coinGeckoValidator);
  app.setErrorHandler((error, request, reply) => {
    const problem = report(request, reply, upstreamProblem(error));
    const now = clock.now();
    const { status, body, headers } = coinGeckoError(problem, now);
    const limits = status === 429 ? gate.limitsOf(request, problem.code, now) : {};
    for (const name of Object.keys(reply.getHeaders()))
      if (/^(content-|etag$|last-modified$|age$|cache-|quotient-)/.test(name)) reply.removeHeader(name);
    reply.code(status).headers({ ...limits, ...headers, 'cache-control': 'no-store' });
    return reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send(body);
  });

  // Each path is also accepted with a slash at its end.
  app.addHook('onRoute', function (route) {
    if (route.method !== 'GET' || route.url.endsWith('/')) return;
    this.route({ ...route, url: `${route.routePath}/`, schema: { ...route.schema, hide: true } });
  });
  app.register(coinReference, shared);
  app.register(keyUsage, { usageOf, burstPerSecond: settings.burstPerSecond });
  for (const group of [simplePrices, coinMarkets, coinDetails, coinHistory, coinCharts]) app.register(group, shared);
  // The first URL is the prefix itself.
  for (const url of ['', '/*'])
    app.route({
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      url,
      schema: { hide: true },
      config: { open: true },
      handler: () => {
        throw incorrectPath();
      },
    });
};
