import { openCoinList, openListing, openRequestedTokens } from '#catalogue/open-coins';
import { NO_REQUESTED_TOKENS } from '#catalogue/requested-tokens';
import type { OpenedExchanges, PriceDeps } from './open-exchanges.ts';
import type { OpenMarket } from './open-market.ts';

type Sources = Pick<OpenMarket, 'coinGecko'> & Pick<OpenedExchanges, 'exchanges'>;

/** Opens the list of coins, the operator's changes of tokens and, if allowed, the addition of tokens on request. */
export function openTokens(deps: PriceDeps, { coinGecko, exchanges }: Sources) {
  const { settings } = deps;
  const coins = openCoinList(deps, coinGecko);
  const used = exchanges.filter(({ name }) => settings.marketSources.includes(name));
  const onRequest =
    coinGecko && settings.tokensOnRequest
      ? openRequestedTokens({ ...deps, coinGecko, coins, exchanges: used })
      : undefined;
  return {
    coins,
    listing: openListing({ ...deps, coinGecko, coins, exchanges }),
    requestedTokens: onRequest ?? NO_REQUESTED_TOKENS,
    jobs: onRequest ? [onRequest.job] : [],
  };
}

/** The names of tokens in the parameters of a request or the arguments of a tool. */
export function namesIn(given: unknown): string[] {
  const { tokenName, tokenNames } = Object(given) as { tokenName?: unknown; tokenNames?: unknown };
  // Some models write arrays as JSON texts.
  return [tokenName, tokenNames]
    .flat()
    .flatMap((value) => (value === undefined ? [] : (String(value).match(/[^[\]",\s]+/g) ?? [])));
}
