import type { Catalogue } from '#catalogue/catalogue';
import type { OpenCatalogue } from '#catalogue/open-catalogue';
import { SECOND } from '#core/clock';
import type { CapabilityDeps } from '#server/capability';
import { openBudgeted } from '#upstream/budgeted-upstream';
import type { PriceSettings } from './prices-settings.ts';
import { openExchange } from './sources/open-exchange.ts';
import { EXCHANGE_NAMES, EXCHANGES, type ExchangeName, isExchange } from './sources/price-sources.ts';

export type PriceDeps = CapabilityDeps<PriceSettings> & { catalogue: OpenCatalogue };
type Deps = Pick<PriceDeps, 'settings' | 'refreshes' | 'observe' | 'dropped' | 'clock' | 'log'> & {
  catalogue: Catalogue;
};

async function open(name: ExchangeName, deps: Deps) {
  const exchange = EXCHANGES[name];
  const { budget, dropped, options, reading } = await openBudgeted(deps, name, exchange.budget);
  const source = openExchange(exchange, {
    ...options,
    url: deps.settings.exchangeUrls[name],
    catalogue: deps.catalogue,
    dropped,
    reserveHistory: () => budget.reserve(exchange.latestCalls),
    callSpacing: () => SECOND,
    untraded: (pair) => deps.log.warn({ upstream: name, ...pair }, 'untraded pair excluded'),
  });
  return { ...source, reading, sync: budget.sync };
}

/** Opens the configured exchanges by rank or, for candles only, the first supported exchange. */
export async function openExchanges(deps: Deps) {
  const configured = deps.settings.marketSources.filter(isExchange);
  const names = configured.length > 0 ? configured : EXCHANGE_NAMES.slice(0, 1);
  const [first, ...others] = await Promise.all(names.map((name) => open(name, deps)));
  if (!first) throw new Error('no exchange is known');
  const exchanges = [first, ...others] as const;
  return {
    exchanges,
    venue: first,
    readings: () => exchanges.map(({ reading }) => reading()),
    sync: async (): Promise<void> => void (await Promise.all(exchanges.map(({ sync }) => sync()))),
    close: async (): Promise<void> => void (await Promise.all(exchanges.map(({ close }) => close()))),
  };
}

export type OpenedExchanges = Awaited<ReturnType<typeof openExchanges>>;
