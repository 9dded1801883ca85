import type { Catalogue } from '#catalogue/catalogue';
import type { TokenName } from '#catalogue/token';
import { type Clock, HOUR, MINUTE } from '#core/clock';
import type { Log } from '#core/log';
import type { ArchiveCache, Fetch } from '#prices/archive/archive-cache';
import type { FailoverState, FailoverStore, PriceDifference } from '#prices/archive/latest-store';
import type { Retention } from '#prices/model/market-sources';
import { type MarketSourceName, PRIMARY_SOURCE } from '#prices/model/market-sources';
import type { Demand } from '#prices/refresh/demand';
import { createRecorder } from '#prices/refresh/fetches';
import type { Schedule } from '#prices/refresh/refresh-schedule';
import type { FallbackSource } from '#prices/sources/kraken';
import { UpstreamFailure } from '#upstream/failure';
import { createFetchRunner, type FetchOutcome, NOTHING_TO_FETCH, type SingleFlight } from '#upstream/fetch-runner';
import { ageAt, type Warning, waitOnRefresh } from '#upstream/freshness';
import { areFarApart } from '#upstream/plausible';

/** How often the fallback's latest prices are fetched, in ms. One call covers all tokens. */
export const FALLBACK_EVERY = MINUTE;
/** How many times a decision is tried, because other processes may decide at the same time. */
const TRIES = 3;

type Dependencies = {
  fallback: FallbackSource;
  archive: ArchiveCache;
  catalogue: Pick<Catalogue, 'named'>;
  demand: Demand;
  store: FailoverStore;
  singleFlight: SingleFlight<Fetch>;
  retention: Retention;
  schedule: Schedule;
  differed: (token: TokenName) => void;
  clock: Clock;
  log: Log;
};

const causeOf = (error: unknown) => (error instanceof UpstreamFailure ? error.reason : 'not_stored');

/** The fallback's latest prices while the primary source is unavailable. All processes share the active source. */
export function createLatestFailover(dependencies: Dependencies) {
  const { fallback, archive, catalogue, demand, store, singleFlight, retention } = dependencies;
  const { schedule, differed, clock, log } = dependencies;
  const { isFallbackServed } = archive;
  const recorder = createRecorder(fallback.name, { archive, retention });
  /** When this process last requested a token's latest price from the fallback (Unix ms). */
  const requestedAt = new Map<TokenName, number>();

  const isPrimarySound = (): boolean => {
    const canBeRequested = singleFlight.failure('latest') === undefined && schedule.hasBudget();
    return isSound(
      { answeredAt: archive.fetchedAt('latest'), every: schedule.latestEvery(), canBeRequested },
      clock.now(),
    );
  };

  /** Whether a token's latest price was requested from the fallback within the fallback's interval. */
  function isFresh(token: TokenName): boolean {
    const isRecent = (at: number | undefined) => ageAt(at, clock.now()) < FALLBACK_EVERY;
    if (!isRecent(archive.fetchedAt(`${fallback.name}:latest`))) return false;
    // The fallback's last call contained only the tokens that were in demand.
    return archive.latest(token) !== undefined || isRecent(requestedAt.get(token));
  }

  const differencesBetween = (before: MarketSourceName, after: MarketSourceName): PriceDifference[] =>
    archive.loaded().flatMap((token) => {
      const [from, to] = [before, after].map((source) => archive.latestOf(token, source)?.record);
      const isFar = from && to && areFarApart(from.current_price, to.current_price);
      return isFar ? [{ token, from: from.current_price, to: to.current_price }] : [];
    });

  function logSwitch(from: MarketSourceName, { served: to, differences }: FailoverState): void {
    const failure = singleFlight.failure('latest');
    const cause = failure === undefined ? 'over_budget' : causeOf(failure);
    const reason = to === PRIMARY_SOURCE ? 'recovered' : `${PRIMARY_SOURCE}: ${cause}`;
    log.warn({ from, to, reason }, 'latest-price source switched');
    for (const { token, ...prices } of differences) {
      differed(token);
      const served = { [from]: prices.from, [to]: prices.to };
      log.warn({ token, prices: served }, 'price difference between sources');
    }
  }

  async function decide(event: FailoverEvent, at: number): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      const from = archive.failover();
      const after = nextFailoverState(from, event);
      const isSwitch = after.served !== from.served;
      if (!isSwitch && after.goodAnswers === from.goodAnswers) return;
      const differences = isSwitch ? differencesBetween(from.served, after.served) : from.differences;
      const to = { ...after, since: isSwitch ? at : from.since, differences };
      const isStored = await store.replace('failover' satisfies Fetch, from, to);
      await archive.sync();
      if (!isStored) continue;
      if (isSwitch) logSwitch(from.served, to);
      return;
    }
  }

  async function fetchLatest(): Promise<void> {
    const tokens = await demand.tokens();
    const quotes = await fallback.quotes(tokens);
    const now = clock.now();
    for (const token of tokens) requestedAt.set(token, now);
    await recorder.quotes(`${fallback.name}:latest`, quotes, now);
    await decide({ kind: 'fallback_answered', source: fallback.name, isSound: isPrimarySound() }, now);
  }

  return {
    isPrimarySound,
    primaryAnswered: (): Promise<void> => decide({ kind: 'primary_answered' }, clock.now()),
    primaryFailed: (): Promise<void> => decide({ kind: 'primary_failed' }, clock.now()),

    isFresh,

    /** Refreshes latest prices from the fallback if they are due. `tried` is the primary source's outcome. */
    async latest(token: TokenName, tried: FetchOutcome = NOTHING_TO_FETCH): Promise<FetchOutcome> {
      const runner = createFetchRunner({ singleFlight, clock });
      const known = archive.latest(token);
      const wait = known ? waitOnRefresh(ageAt(known.fetchedAt, clock.now()), FALLBACK_EVERY) : 'end';
      if (!isFresh(token)) await runner.run(`${fallback.name}:latest`, wait, fetchLatest);
      return isFallbackServed() || tried === NOTHING_TO_FETCH ? runner.outcome : tried;
    },

    /** For the operator: an active fallback, and the prices that differed greatly between the sources. */
    warnings(): Warning[] {
      const { served, since, differences } = archive.failover();
      if (since === undefined || (!isFallbackServed() && ageAt(since, clock.now()) > HOUR)) return [];
      const from = isFallbackServed() ? PRIMARY_SOURCE : fallback.name;
      const known = differences.filter(({ token }) => catalogue.named(token));
      const far = known.map(({ token, ...prices }): Warning => {
        const [before, after] = [
          { source: from, price: prices.from },
          { source: served, price: prices.to },
        ];
        return { about: 'price', token, before, after, since };
      });
      return isFallbackServed() ? [{ about: 'failover', served, primary: PRIMARY_SOURCE, since }, ...far] : far;
    },
  };
}

export type LatestFailover = ReturnType<typeof createLatestFailover>;

/** How many consecutive good responses the primary source needs before it is served again. */
const GOOD_ANSWERS = 2;
/** In ms. A source is frozen if its newest sample is older than twice the interval plus this time. */
const BEHIND = 10 * MINUTE;
/** `isSound` is the result of the function `isSound` for the primary source. */
export type FailoverEvent =
  | { kind: 'primary_answered' }
  | { kind: 'primary_failed' }
  | { kind: 'fallback_answered'; source: MarketSourceName; isSound: boolean };

/**
 * The fallback takes over only after a response of its own, so an unavailable fallback never takes over. Two good
 * responses from the primary source end the failover.
 */
export function nextFailoverState(
  { served, goodAnswers }: Pick<FailoverState, 'served' | 'goodAnswers'>,
  event: FailoverEvent,
): Pick<FailoverState, 'served' | 'goodAnswers'> {
  if (event.kind === 'fallback_answered') {
    return served === PRIMARY_SOURCE && !event.isSound
      ? { served: event.source, goodAnswers: 0 }
      : { served, goodAnswers };
  }
  if (served === PRIMARY_SOURCE || event.kind === 'primary_failed') return { served, goodAnswers: 0 };
  const good = goodAnswers + 1;
  return good >= GOOD_ANSWERS ? { served: PRIMARY_SOURCE, goodAnswers: 0 } : { served, goodAnswers: good };
}

/** A source is healthy if it can be requested, or if its last good response (Unix ms) is at most two intervals old. */
export const isSound = (
  { answeredAt, every, canBeRequested }: { answeredAt: number | undefined; every: number; canBeRequested: boolean },
  now: number,
): boolean => canBeRequested || ageAt(answeredAt, now) <= 2 * every;

/** The age (ms) above which the newest sample of a response indicates a frozen source. */
export const frozenAfter = (every: number): number => 2 * every + BEHIND;
