import type { Capability } from '#server/capability';
import { type CoinGeckoDeps, coinGecko } from './coingecko-routes.ts';

/** CoinGecko's API v3, for programs that were written for it. It has no data of its own. */
export const openCoinGeckoApi = (deps: CoinGeckoDeps) =>
  ({
    rootRoutes: async (app, { gate, send, report }) => {
      app.register(coinGecko, { prefix: '/api/v3', ...deps, gate, send, report });
    },
  }) satisfies Capability;
