import { HOUR, latestOf } from '#core/clock';
import { priceCandles } from '#prices/candles/candles-routes';
import { openCandles } from '#prices/candles/open-candles';
import { openCurrencies } from '#prices/currencies/open-currencies';
import { createWindowSender, createWindowTurns, priceHistory } from '#prices/history/history-routes';
import { sample } from '#prices/history/sample-routes';
import { latestFetchOf } from '#prices/latest/latest-cache';
import { priceLatest } from '#prices/latest/latest-routes';
import { createRetention } from '#prices/retention';
import { createPurgeStore } from '#prices/series/purge-store';
import { createWorkingSet } from '#prices/series/working-set';
import { priceStream } from '#prices/stream/stream-routes';
import { createTokenSender } from '#prices/successors';
import { tokens } from '#prices/tokens-routes';
import type { Capability } from '#server/capability';
import { sourcedComponent } from '#upstream/component';
import { openExchanges, type PriceDeps } from './open-exchanges.ts';
import { openMarket } from './open-market.ts';
import { namesIn, openTokens } from './open-tokens.ts';
import { addInactiveReading, addMemoryReadings } from './prices-metrics.ts';

/** While every source fails, prices older than this count as missing, in ms. */
const USEFUL_FOR = HOUR;

export async function openPrices(deps: PriceDeps) {
  const { settings, database, catalogue, clock, outcomes } = deps;
  const exchanges = await openExchanges(deps);
  const workingSet = createWorkingSet({ clock });
  const { rates, currencies, ...money } = await openCurrencies(deps);
  const { market, archive, publisher, ...prices } = await openMarket(deps, { ...exchanges, rates, workingSet });
  const { coins, listing, requestedTokens, ...onRequest } = openTokens(deps, { ...prices, ...exchanges });
  const { candles, ...traded } = openCandles(deps, { ...exchanges, archive, rates, workingSet });
  // The statements have no deadline, because no request waits for a deletion.
  const retention = createRetention({
    ...deps,
    store: createPurgeStore(database.prisma),
    archive,
    candles: traded.cache,
    retention: settings.retention,
  });

  const enterWindow = createWindowTurns();

  const component = () =>
    sourcedComponent({
      name: 'prices',
      title: 'Prices',
      dataAt: latestOf(settings.marketSources.map((source) => archive.fetchedAt(latestFetchOf(source)))),
      sources: settings.marketSources,
      latest: outcomes.latest,
      usefulFor: USEFUL_FOR,
      clock,
    });

  return {
    market,
    candles,
    rates,
    publisher,
    currencies,
    /** The queue of large responses. Every interface that sends them must use this queue. */
    enterWindow,
    coins,
    listing,
    requestedTokens,

    routes: async (app, { send: sendResponse, streams, gate }) => {
      const send = createTokenSender(sendResponse, catalogue);
      const sendWindow = createWindowSender(send, enterWindow);
      // Runs after the key and the burst limit are checked, and before the parameters are validated.
      app.addHook(
        'preValidation',
        ({ keyId, user, query }, _reply, done) =>
          (keyId === undefined ? undefined : requestedTokens.ensure(user, namesIn(query))) ?? done(),
      );
      const shared = { catalogue, currencies, market, candles, clock, send, sendWindow };
      app.register(tokens, { catalogue, market, firstCandles: traded.available, clock });
      app.register(sample, { sample: prices.sample, clock });
      app.register(priceLatest, { prefix: '/prices/latest', ...shared });
      app.register(priceStream, { prefix: '/prices', ...shared, publisher, streams, gate });
      app.register(priceHistory, { prefix: '/prices/history', ...shared });
      app.register(priceCandles, { prefix: '/prices/history', ...shared });
    },

    jobs: [...prices.jobs, ...traded.jobs, ...onRequest.jobs, ...(retention ? [retention] : [])],
    warnings: () => [market, candles, rates, coins].flatMap(({ warnings }) => warnings()),
    components: () => [component()],

    readings: {
      upstreams: () => [prices, exchanges, money].flatMap(({ readings }) => readings()),
      staleness: market.staleness,
      add: (registry) => {
        addMemoryReadings(registry, workingSet.reading);
        addInactiveReading(registry, () => market.inactive().length);
      },
    },

    async close(): Promise<void> {
      for (const { close } of [prices, exchanges, money]) await close();
    },
  } satisfies Capability & Record<string, unknown>;
}

export type OpenPrices = Awaited<ReturnType<typeof openPrices>>;
