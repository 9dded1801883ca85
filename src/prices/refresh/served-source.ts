import type { TokenName } from '#catalogue/token';
import { HOUR } from '#core/clock';
import type { Fetch } from '#prices/latest/latest-cache';
import { isUpdated } from '#prices/latest/latest-composition';
import { type FailoverState, type FailoverStore, type PriceDifference, pricesOf } from '#prices/latest/latest-store';
import type { MarketSourceName } from '#prices/model/market-sources';
import { isContradicted } from '#prices/model/price-check';
import { UpstreamFailure } from '#upstream/failures/failure';
import { ageAt, type Warning } from '#upstream/freshness';
import { areFarApart } from '#upstream/items/plausible';
import type { LatestSource } from './latest-sources.ts';
import type { RefreshDeps } from './refresh-deps.ts';

export type RankedSources = readonly [LatestSource, ...LatestSource[]];

type Requested = { respondedAt: number | undefined; interval: number; canBeRequested: boolean };

/** A source is sound if it can be requested, or if its last good response (Unix ms) is at most two intervals old. */
export const isSourceSound = ({ respondedAt, interval, canBeRequested }: Requested, now: number): boolean =>
  canBeRequested || ageAt(respondedAt, now) <= 2 * interval;

/** How many times a decision is attempted, because other processes may decide at the same time. */
const TRIES = 3;

type Options = { sources: RankedSources; store: FailoverStore; differed: (token: TokenName) => void };

const causeOf = (error: unknown) => (error instanceof UpstreamFailure ? error.reason : 'not_stored');

type State = RefreshDeps & Options;

const rankOf = ({ sources }: State, name: MarketSourceName): number =>
  sources.findIndex((source) => source.name === name);

function isSound({ archive, singleFlight, clock }: State, source: LatestSource): boolean {
  const canBeRequested = singleFlight.failure(source.resource) === undefined && source.hasBudget();
  const respondedAt = archive.fetchedAt(source.resource);
  return isSourceSound({ respondedAt, interval: source.interval(), canBeRequested }, clock.now());
}

/** Whether a source's price is not served, because it contradicts a higher source's last price. */
function isWithheld({ archive, clock, sources }: State, token: TokenName, source: MarketSourceName): boolean {
  const rows = sources.flatMap(({ name }) => archive.latestOf(token, name) ?? []);
  const price = archive.latestOf(token, source)?.record.current_price;
  return price !== undefined && isContradicted({ source, price }, pricesOf(rows), archive.sources, clock.now());
}

const differencesBetween = ({ archive }: State, before: MarketSourceName, after: MarketSourceName): PriceDifference[] =>
  archive.loaded().flatMap((token) => {
    const from = archive.latestOf(token, before)?.record.current_price;
    const to = archive.latestOf(token, after)?.record.current_price;
    const isFar = from !== undefined && to !== undefined && areFarApart(from, to);
    return isFar ? [{ token, from, to, replaced: before }] : [];
  });

function logSwitch(state: State, from: MarketSourceName, { served: to, differences }: FailoverState): void {
  const { sources, singleFlight, log, differed } = state;
  const failure = singleFlight.failure((sources[rankOf(state, from)] ?? sources[0]).resource);
  const cause = failure === undefined ? 'over_budget' : causeOf(failure);
  const reason = rankOf(state, to) < rankOf(state, from) ? 'recovered' : `${from}: ${cause}`;
  log.warn({ from, to, reason }, 'latest-price source switched');
  for (const { token, ...prices } of differences) {
    differed(token);
    const served = { [from]: prices.from, [to]: prices.to };
    log.warn({ token, prices: served }, 'price difference between sources');
  }
}

/** Whether all sources from the served one to this one are unsound, or this one is higher and has recovered. */
function takesOver(state: State, source: LatestSource, isRecovered: (since: number) => boolean): boolean {
  const { served, since = 0 } = state.archive.failover();
  const rank = rankOf(state, source.name);
  const servedRank = rankOf(state, served);
  if (rank > servedRank) return state.sources.slice(servedRank, rank).every((higher) => !isSound(state, higher));
  return rank < servedRank && isRecovered(since);
}

/** Decides which source's latest prices are served. All processes share the decision. */
export function createServedSource(deps: RefreshDeps, options: Options) {
  const state = { ...deps, ...options };
  const { archive, catalogue, clock, store } = state;
  const [first] = options.sources;

  return {
    rankOf: (name: MarketSourceName): number => rankOf(state, name),
    servedRank: (): number => rankOf(state, archive.failover().served),
    isSound: (source: LatestSource): boolean => isSound(state, source),

    /** Whether a source works, and its responses contain a credible and current price of a token. */
    isSoundFor(source: LatestSource, token: TokenName): boolean {
      const row = archive.latestOf(token, source.name);
      if (!row || !isUpdated(row) || !isSound(state, source)) return false;
      const isLacking = (source.respondedAt(token) ?? 0) - row.fetchedAt > 2 * source.interval();
      return !isLacking && !isWithheld(state, token, source.name);
    },

    /** Serves a source that has responded if it takes over. `isRecovered`: its previous response was good, too. */
    async noteResponse(source: LatestSource, isRecovered: (since: number) => boolean): Promise<void> {
      for (let tries = 0; tries < TRIES && takesOver(state, source, isRecovered); tries++) {
        const from = archive.failover();
        const differences = differencesBetween(state, from.served, source.name);
        const to = { served: source.name, since: clock.now(), differences };
        const isStored = await store.replace('failover' satisfies Fetch, from, to);
        await archive.sync();
        if (isStored) return logSwitch(state, from.served, to);
      }
    },

    /** Warnings for the operator: an active fallback, and the prices that differed greatly between the sources. */
    warnings(): Warning[] {
      const { served, since, differences } = archive.failover();
      const isFallback = served !== first.name;
      if (since === undefined || (!isFallback && ageAt(since, clock.now()) > HOUR)) return [];
      const far = differences
        .filter(({ token }) => catalogue.named(token))
        .map(({ token, from, to, replaced }): Warning => {
          const before = { source: replaced, price: from };
          return { about: 'price', token, before, after: { source: served, price: to }, since };
        });
      if (!isFallback) return far;
      const withheld = archive.loaded().filter((token) => isWithheld(state, token, served));
      const failover: Warning = { about: 'failover', served, primary: first.name, since };
      const unserved: Warning[] =
        withheld.length > 0 ? [{ about: 'withheld prices', source: served, tokens: withheld }] : [];
      return [failover, ...unserved, ...far];
    },
  };
}
