import type { Catalogue } from '#catalogue/catalogue';
import type { TokenName } from '#catalogue/token';
import { type Clock, HOUR, MINUTE } from '#core/clock';
import type { Log } from '#core/log';
import type { ArchiveCache } from '#prices/archive/archive-cache';
import type { Fetch } from '#prices/archive/fetch-names';
import type { FailoverState, FailoverStore, PriceDifference } from '#prices/archive/latest-store';
import { type MarketSourceName, PRIMARY_SOURCE } from '#prices/model/market-sources';
import type { Retention } from '#prices/model/retention-periods';
import type { Demand } from '#prices/refresh/demand';
import { createRecorder } from '#prices/refresh/fetches';
import type { FallbackSource } from '#prices/sources/kraken';
import { UpstreamFailure } from '#upstream/failure';
import type { SingleFlight } from '#upstream/fetch-runner';
import { createFetchRunner, type FetchOutcome, NOTHING_TO_FETCH } from '#upstream/fetch-runner';
import type { Warning } from '#upstream/freshness';
import { ageAt, waitOnRefresh } from '#upstream/freshness';
import { areFarApart } from '#upstream/plausible';

/** How often the latest prices are asked of the fallback, all in one call; in ms. */
export const FALLBACK_EVERY = MINUTE;
/** Another process may have decided at the same time, and then another. */
const TRIES = 3;

type Dependencies = {
  fallback: FallbackSource;
  archive: ArchiveCache;
  catalogue: Pick<Catalogue, 'named'>;
  demand: Demand;
  store: FailoverStore;
  singleFlight: SingleFlight<Fetch>;
  retention: Retention;
  /** How often the latest prices are asked of the primary source, in ms; finite. */
  every: () => number;
  /** Whether its budget has calls for them. */
  hasBudget: () => boolean;
  /** Counts a token whose price differed much when another source took over. */
  differed: (token: TokenName) => void;
  clock: Clock;
  log: Log;
};

const causeOf = (error: unknown) => (error instanceof UpstreamFailure ? error.reason : 'not_stored');

/**
 * The latest prices of the fallback, where the primary source cannot be asked. Which of them is served all
 * processes share.
 */
export function createLatestFailover(dependencies: Dependencies) {
  const { fallback, archive, catalogue, demand, store, singleFlight, retention } = dependencies;
  const { every, hasBudget, differed, clock, log } = dependencies;
  const recorder = createRecorder(fallback.name, { archive, retention });

  /** When this process last asked for the latest price of a token (Unix ms). */
  const askedAt = new Map<TokenName, number>();

  const isTold = (): boolean => archive.failover().told !== PRIMARY_SOURCE;

  const isPrimarySound = (): boolean => {
    const canBeAsked = singleFlight.failure('latest') === undefined && hasBudget();
    return isSound({ answeredAt: archive.fetchedAt('latest'), every: every(), canBeAsked }, clock.now());
  };

  /** Whether the latest price of a token was asked of the fallback less than its interval ago. */
  function isFresh(token: TokenName): boolean {
    const isRecent = (at: number | undefined) => ageAt(at, clock.now()) < FALLBACK_EVERY;
    if (!isRecent(archive.fetchedAt(`${fallback.name}:latest`))) return false;
    // One that nobody had asked for lately was not among those that were asked for.
    return archive.latest(token) !== undefined || isRecent(askedAt.get(token));
  }

  /** The prices of the two sources that are far apart. */
  const differencesBetween = (before: MarketSourceName, after: MarketSourceName): PriceDifference[] =>
    archive.loaded().flatMap((token) => {
      const [from, to] = [before, after].map((source) => archive.latestOf(token, source)?.record);
      const isFar = from && to && areFarApart(from.current_price, to.current_price);
      return isFar ? [{ token, from: from.current_price, to: to.current_price }] : [];
    });

  function tellSwitch(from: MarketSourceName, { told: to, differences }: FailoverState): void {
    const failure = singleFlight.failure('latest');
    const cause = failure === undefined ? 'over_budget' : causeOf(failure);
    const reason = to === PRIMARY_SOURCE ? 'it answers again' : `${PRIMARY_SOURCE}: ${cause}`;
    log.warn({ from, to, reason }, 'latest-price source switched');
    for (const { token, ...prices } of differences) {
      differed(token);
      const told = { [from]: prices.from, [to]: prices.to };
      log.warn({ token, prices: told }, 'price difference between sources');
    }
  }

  /** Decides after an event at an instant (Unix ms), and stores what changes. */
  async function decide(event: FailoverEvent, at: number): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      const from = archive.failover();
      const after = nextTold(from, event);
      const isSwitch = after.told !== from.told;
      if (!isSwitch && after.goodAnswers === from.goodAnswers) return;
      const differences = isSwitch ? differencesBetween(from.told, after.told) : from.differences;
      const to = { ...after, since: isSwitch ? at : from.since, differences };
      const isStored = await store.replace('failover' satisfies Fetch, from, to);
      await archive.sync();
      if (!isStored) continue;
      if (isSwitch) tellSwitch(from.told, to);
      return;
    }
  }

  async function fetchLatest(): Promise<void> {
    const tokens = await demand.tokens();
    const quotes = await fallback.quotes(tokens);
    const now = clock.now();
    for (const token of tokens) askedAt.set(token, now);
    await recorder.quotes(`${fallback.name}:latest`, quotes, now);
    await decide({ kind: 'fallback_answered', source: fallback.name, isSound: isPrimarySound() }, now);
  }

  return {
    isTold,
    isPrimarySound,

    /** The primary source gave a good answer with the latest prices, or failed to. */
    primaryAnswered: (): Promise<void> => decide({ kind: 'primary_answered' }, clock.now()),
    primaryFailed: (): Promise<void> => decide({ kind: 'primary_failed' }, clock.now()),

    /**
     * Whether a window up to now ends with the latest price of the fallback: where the primary source is served, only when its
     * newest sample is old too, whichever of its answers had it.
     */
    endsWindow: (token: TokenName): boolean =>
      isTold() || (!isPrimarySound() && ageAt(archive.newest(token)?.at, clock.now()) > 2 * every()),

    isFresh,

    /**
     * Refreshes the latest prices from the fallback where they are due, after the primary source was tried.
     *
     * @param tried what came of that
     */
    async latest(token: TokenName, tried: FetchOutcome = NOTHING_TO_FETCH): Promise<FetchOutcome> {
      const runner = createFetchRunner({ singleFlight, clock });
      const known = archive.latest(token);
      const wait = known ? waitOnRefresh(ageAt(known.fetchedAt, clock.now()), FALLBACK_EVERY) : 'end';
      if (!isFresh(token)) await runner.run(`${fallback.name}:latest`, wait, fetchLatest);
      return isTold() || tried === NOTHING_TO_FETCH ? runner.outcome : tried;
    },

    /** For the operator: that the fallback is told, and the prices that differed when another one took over. */
    warnings(): Warning[] {
      const { told, since, differences } = archive.failover();
      if (since === undefined || (!isTold() && ageAt(since, clock.now()) > HOUR)) return [];
      const from = isTold() ? PRIMARY_SOURCE : fallback.name;
      const served = differences.filter(({ token }) => catalogue.named(token));
      const far = served.map(({ token, ...prices }): Warning => {
        const [before, after] = [
          { source: from, price: prices.from },
          { source: told, price: prices.to },
        ];
        return { about: 'price', token, before, after, since };
      });
      return isTold() ? [{ about: 'failover', told, first: PRIMARY_SOURCE, since }, ...far] : far;
    },
  };
}

export type LatestFailover = ReturnType<typeof createLatestFailover>;

/** Good answers in a row after which the primary source is served again. */
const GOOD_ANSWERS = 2;
/** How much older than twice its interval the newest sample of a good answer may be, in ms. */
const BEHIND = 10 * MINUTE;
/** `fallback_answered`: the fallback gave a good answer. `isSound` is about the primary source (`isSound` below). */
export type FailoverEvent =
  | { kind: 'primary_answered' }
  | { kind: 'primary_failed' }
  | { kind: 'fallback_answered'; source: MarketSourceName; isSound: boolean };

/**
 * Which source is served after an event. The fallback takes over when it has answered while the primary source is not
 * sound, so that a fallback that is down as well is never served; the primary source resumes after two good answers in a row.
 */
export function nextTold(
  { told, goodAnswers }: Pick<FailoverState, 'told' | 'goodAnswers'>,
  event: FailoverEvent,
): Pick<FailoverState, 'told' | 'goodAnswers'> {
  if (event.kind === 'fallback_answered') {
    return told === PRIMARY_SOURCE && !event.isSound ? { told: event.source, goodAnswers: 0 } : { told, goodAnswers };
  }
  if (told === PRIMARY_SOURCE || event.kind === 'primary_failed') return { told, goodAnswers: 0 };
  const good = goodAnswers + 1;
  return good >= GOOD_ANSWERS ? { told: PRIMARY_SOURCE, goodAnswers: 0 } : { told, goodAnswers: good };
}

/**
 * Whether a source is sound: it can be asked, or its last good answer is not older than twice its interval.
 *
 * @param answeredAt when its last good answer came (Unix ms)
 * @param every its interval in ms
 */
export const isSound = (
  { answeredAt, every, canBeAsked }: { answeredAt: number | undefined; every: number; canBeAsked: boolean },
  now: number,
): boolean => canBeAsked || ageAt(answeredAt, now) <= 2 * every;

/** The age (ms) beyond which the newest sample of an answer shows that its source has stopped. */
export const frozenAfter = (every: number): number => 2 * every + BEHIND;
