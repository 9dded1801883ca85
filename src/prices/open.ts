import { HOUR, latestOf } from '#core/clock';
import { createPurgeStore } from '#prices/archive/purge-store';
import { createWorkingSet } from '#prices/archive/working-set';
import { openCandles } from '#prices/candles/open';
import { openCurrencies } from '#prices/currencies/open';
import { createRetention } from '#prices/retention';
import { priceCandles } from '#prices/routes-candles';
import { createWindowSender, priceHistory } from '#prices/routes-history';
import { priceLatest } from '#prices/routes-latest';
import { sample } from '#prices/routes-sample';
import { tokens } from '#prices/routes-tokens';
import { priceStream } from '#prices/stream/routes-stream';
import type { Capability } from '#server/capability';
import { sourcedComponent } from '#upstream/component';
import { addMemoryReadings } from './metrics.ts';
import { openKraken, type PriceDeps } from './open-kraken.ts';
import { openMarket } from './open-market.ts';

/** Prices older than this count as missing while every source fails, in ms. */
const USEFUL_FOR = HOUR;

export async function openPrices(deps: PriceDeps) {
  const { settings, database, catalogue, clock, outcomes } = deps;
  const kraken = await openKraken(deps);
  const workingSet = createWorkingSet({ clock });
  const { rates, currencies, ...money } = openCurrencies(deps);
  const beside = { ...kraken, rates, workingSet };
  const { market, archive, publisher, ...prices } = await openMarket(deps, beside);
  const { candles, ...traded } = openCandles(deps, { ...beside, archive });
  // Has no deadline, because no request waits for a deletion.
  const retention = createRetention({
    ...deps,
    store: createPurgeStore(database.prisma),
    archive,
    candles: traded.cache,
    retention: settings.retention,
  });

  const component = () =>
    sourcedComponent({
      name: 'prices',
      title: 'Prices',
      dataAt: latestOf([archive.fetchedAt('latest'), archive.fetchedAt('kraken:latest')]),
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
    /** The currencies that routes accept. */
    currencies,

    routes: async (app, { send, streams, gate }) => {
      const shared = { catalogue, currencies, market, candles, clock, send, sendWindow: createWindowSender(send) };
      app.register(tokens, { catalogue, market, firstCandles: traded.available, clock });
      app.register(sample, { sample: prices.sample, clock });
      app.register(priceLatest, { prefix: '/prices/latest', ...shared });
      app.register(priceStream, { prefix: '/prices', ...shared, publisher, streams, gate });
      app.register(priceHistory, { prefix: '/prices/history', ...shared });
      app.register(priceCandles, { prefix: '/prices/history', ...shared });
    },

    poll: async () => void (await Promise.all([prices.poll(), traded.poll()])),
    warnings: () => [market, candles, rates].flatMap((one) => one.warnings()),
    components: () => [component()],

    readings: {
      upstreams: () => [prices, kraken, money].flatMap((one) => one.readings()),
      staleness: market.staleness,
      add: (registry) => addMemoryReadings(registry, workingSet.reading),
    },

    enforceRetention: async () => retention?.look(),

    async close(): Promise<void> {
      for (const one of [retention, prices, kraken, money]) await one?.close();
    },
  } satisfies Capability & Record<string, unknown>;
}
