import { openCoinList, openListing, openRequestedTokens } from '#catalogue/open-coins';
import { NO_REQUESTED_TOKENS } from '#catalogue/requested-tokens';
import { HOUR, latestOf } from '#core/clock';
import { createCandleAvailability } from '#prices/candles/candle-availability';
import { createCandleCache } from '#prices/candles/candle-cache';
import { createCandleStore } from '#prices/candles/candle-store';
import { createCandles } from '#prices/candles/candles';
import { priceCandles } from '#prices/candles/candles-routes';
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
import { budgetJob } from '#upstream/budget';
import { sourcedComponent } from '#upstream/component';
import { openExchanges, type PriceDeps } from './open-exchanges.ts';
import { openMarket } from './open-market.ts';
import { namesIn } from './parameters.ts';
import { addPriceReadings } from './prices-metrics.ts';

/** While every source fails, prices older than this count as missing, in ms. */
const USEFUL_FOR = HOUR;

export async function openPrices(deps: PriceDeps) {
  const { settings, database, deadline, catalogue, versions, responses, clock, outcomes } = deps;
  const { marketSources, retention, tokensOnRequest } = settings;
  const { exchanges, venue: source, ...traded } = await openExchanges(deps);
  const workingSet = createWorkingSet({ clock });
  const { rates, currencies, ...money } = await openCurrencies(deps);
  const { market, archive, publisher, coinGecko, ...prices } = await openMarket(deps, { exchanges, rates, workingSet });

  const coins = openCoinList(deps, coinGecko);
  const used = exchanges.filter(({ name }) => marketSources.includes(name));
  const onRequest =
    coinGecko && tokensOnRequest ? openRequestedTokens({ ...deps, coinGecko, coins, exchanges: used }) : undefined;
  const requestedTokens = onRequest ?? NO_REQUESTED_TOKENS;

  const candleStore = deadline.over(createCandleStore(database.prisma));
  const cache = createCandleCache({ store: candleStore, versions, clock, workingSet });
  const firstCandles = createCandleAvailability({ store: candleStore, source, retention, clock });
  const singleFlight = deps.openSingleFlight(cache);
  const cachedResponses = responses('candles', cache);
  const candles = createCandles({ source, cache, cachedResponses, archive, retention, singleFlight, rates, clock });

  // The statements have no deadline, because no request waits for a deletion.
  const store = createPurgeStore(database.prisma);
  const retentionJob = createRetention({ ...deps, store, archive, candles: cache, retention });
  const enterWindow = createWindowTurns();

  const component = () =>
    sourcedComponent({
      name: 'prices',
      title: 'Prices',
      dataAt: latestOf(marketSources.map((source) => archive.fetchedAt(latestFetchOf(source)))),
      sources: marketSources,
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
    listing: openListing({ ...deps, coinGecko, coins, exchanges }),
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
      app.register(tokens, { catalogue, market, firstCandles, clock });
      app.register(sample, { sample: prices.sample, clock });
      app.register(priceLatest, { prefix: '/prices/latest', ...shared });
      app.register(priceStream, { prefix: '/prices', ...shared, publisher, streams, gate });
      app.register(priceHistory, { prefix: '/prices/history', ...shared });
      app.register(priceCandles, { prefix: '/prices/history', ...shared });
    },

    jobs: [
      ...prices.jobs,
      budgetJob('exchange budgets', cache, traded.sync),
      ...[onRequest?.job, retentionJob].filter((job) => job !== undefined),
    ],
    warnings: () => [market, candles, rates, coins].flatMap(({ warnings }) => warnings()),
    components: () => [component()],

    readings: {
      upstreams: () => [prices, traded, money].flatMap(({ readings }) => readings()),
      staleness: market.staleness,
      add: (registry) =>
        addPriceReadings(registry, () => ({ ...workingSet.reading(), inactive: market.inactive().length })),
    },

    async close(): Promise<void> {
      for (const { close } of [prices, traded, money]) await close();
    },
  } satisfies Capability & Record<string, unknown>;
}

export type OpenPrices = Awaited<ReturnType<typeof openPrices>>;
