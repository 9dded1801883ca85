import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, HOUR, SECOND } from '#core/clock';
import { annotate, traced } from '#core/tracing';
import type { RefreshStore } from './claims-and-budgets-store.ts';
import { failurePause, isOutOfReach, UpstreamFailure } from './failures/failure.ts';
import type { FailureLog } from './failures/failure-log.ts';
import type { Wait, Warning } from './freshness.ts';
import { type Resource, readResource } from './resource.ts';

/** The length of a `moment`, counted from the start of the fetch, in ms. */
const MOMENT = 1000;

export type FetchOutcome = {
  fetched: boolean;
  refreshing: boolean;
  /** The first error. Data that is older than the upstream's plan includes is a gap, not an error. */
  failure: unknown;
};

export const NOTHING_TO_FETCH: FetchOutcome = Object.freeze({ fetched: false, refreshing: false, failure: undefined });

export function allOutcomes(outcomes: readonly FetchOutcome[]): FetchOutcome {
  return {
    fetched: outcomes.some(({ fetched }) => fetched),
    refreshing: outcomes.some(({ refreshing }) => refreshing),
    failure: outcomes.find(({ failure }) => failure !== undefined)?.failure,
  };
}

type AwaitedFetch = 'fetched' | 'refreshing' | { error: unknown };
type Dependencies<What extends Resource> = { singleFlight: SingleFlight<What>; clock: Clock };

export function createFetchRunner<What extends Resource>({ singleFlight, clock }: Dependencies<What>) {
  const outcome: FetchOutcome = { fetched: false, refreshing: false, failure: undefined };

  async function awaitFetch({ done, startedAt }: InFlight, until: Wait): Promise<AwaitedFetch> {
    const left = until === 'moment' ? startedAt + MOMENT - clock.elapsed() : 0;
    if (until !== 'end' && left <= 0) return 'refreshing';
    const end = done.then(
      () => 'fetched' as const,
      (error: unknown) => ({ error }),
    );
    if (until === 'end') return end;
    const over = new AbortController();
    const late = wait(left, 'refreshing' as const, { signal: over.signal }).catch(() => 'refreshing' as const);
    return Promise.race([end, late]).finally(() => over.abort());
  }

  return {
    outcome,

    /** Fetches a resource. Returns false if it joined a fetch in flight, which may be for other data. */
    async run(resource: What, until: Wait, fetch: () => Promise<void>): Promise<boolean> {
      let isMade = false;
      const inFlight = singleFlight.start(resource, () => {
        isMade = true;
        return fetch();
      });
      const result = inFlight ? await awaitFetch(inFlight, until) : { error: singleFlight.failure(resource) };
      if (typeof result === 'string') outcome[result] = true;
      else if (!isOutOfReach(result.error)) outcome.failure ??= result.error;
      return isMade;
    },
  };
}

export type FetchRunner<What extends Resource> = ReturnType<typeof createFetchRunner<What>>;

/** A claim outlasts the upstream's deadline by this time, in ms, which leaves time to store the data. */
const WRITING = 5 * SECOND;
/** How often a process polls for another process's fetch, in ms. */
const POLL_INTERVAL = 100;
/** How long a failure remains a warning after its pause, in ms: a fetch might succeed again. */
const REPORTED_FOR = HOUR;
type Failure = { error: unknown; times: number; until: number };
/** `startedAt` is monotonic, in ms. */
type InFlight = { done: Promise<void>; startedAt: number };

type Poll<What extends Resource> = { version(resource: What): number; sync(): Promise<void> };
type SingleFlightDependencies = {
  store: RefreshStore;
  timeoutMs: number;
  clock: Clock;
  failures: Pick<FailureLog, 'failed'>;
};

/** Fetches each resource once for all concurrent callers in all processes. */
function createSingleFlight<What extends Resource>(poll: Poll<What>, dependencies: SingleFlightDependencies) {
  const { store, timeoutMs, clock } = dependencies;
  const holder = randomUUID();
  const inFlight = new Map<What, InFlight>();
  const lastFailures = new Map<What, Failure>();
  let isClosed = false;

  const claim = (resource: What, version: number): Promise<boolean> =>
    traced('claim', {}, async () => {
      const isClaimed = await store.claim(resource, holder, timeoutMs + WRITING, version);
      annotate({ 'quotient.claimed': isClaimed });
      return isClaimed;
    });

  /** Fetches a resource, or waits for another process to fetch it. Throws if neither succeeds within the deadline. */
  async function fetchOnce(resource: What, fetch: () => Promise<void>): Promise<void> {
    const version = poll.version(resource);
    const deadline = clock.elapsed() + timeoutMs;
    for (;;) {
      if (await claim(resource, version)) {
        try {
          return await fetch();
        } catch (error) {
          // The release is not awaited, because the database may hang too, and the client has waited long enough.
          void store.release(resource, holder).catch(() => undefined);
          throw error;
        }
      }
      await poll.sync();
      if (poll.version(resource) !== version) return;
      if (isClosed || clock.elapsed() > deadline) {
        throw new UpstreamFailure('another process', 'timeout', `${resource} was not fetched in time`);
      }
      await wait(POLL_INTERVAL);
    }
  }

  async function run(resource: What, fetch: () => Promise<void>): Promise<void> {
    try {
      const { kind } = readResource(resource);
      await traced(`fetch ${kind}`, { 'quotient.resource': resource }, () => fetchOnce(resource, fetch));
      lastFailures.delete(resource);
    } catch (error) {
      const times = (lastFailures.get(resource)?.times ?? 0) + 1;
      const reason = error instanceof UpstreamFailure ? error.reason : undefined;
      lastFailures.set(resource, { error, times, until: clock.elapsed() + failurePause(times, reason) });
      if (!isClosed) dependencies.failures.failed('fetch', error, { what: resource });
      throw error;
    } finally {
      inFlight.delete(resource);
    }
  }

  async function idle(): Promise<void> {
    while (inFlight.size > 0) await Promise.allSettled([...inFlight.values()].map(({ done }) => done));
  }

  return {
    /** Starts or joins a fetch. Returns undefined after the end, and during the pause after a failure (see `failure`). */
    start(resource: What, fetch: () => Promise<void>): InFlight | undefined {
      const running = inFlight.get(resource);
      if (running) return running;
      if (isClosed || (lastFailures.get(resource)?.until ?? Number.NEGATIVE_INFINITY) > clock.elapsed())
        return undefined;
      const started = { done: run(resource, fetch), startedAt: clock.elapsed() };
      started.done.catch(() => undefined);
      inFlight.set(resource, started);
      return started;
    },

    /** Forgets a failure, because the next fetch with that name is for other data. */
    forget: (resource: What): void => void lastFailures.delete(resource),
    failure: (resource: What): unknown => lastFailures.get(resource)?.error,

    warnings: (): Warning[] =>
      [...lastFailures]
        .filter(([, { until }]) => clock.elapsed() < until + REPORTED_FOR)
        .map(([resource, { error }]) => {
          const cause = error instanceof UpstreamFailure ? error.reason : 'not stored';
          return { about: 'fetch', what: resource, cause };
        }),

    idle,

    /** Waits for the fetches in flight, which may be storing their data. */
    close(): Promise<void> {
      isClosed = true;
      return idle();
    },
  };
}

export type SingleFlight<What extends Resource> = ReturnType<typeof createSingleFlight<What>>;

export function createSingleFlights(dependencies: SingleFlightDependencies) {
  const closers: (() => Promise<void>)[] = [];

  return {
    open<What extends Resource>(poll: Poll<What>): SingleFlight<What> {
      const singleFlight = createSingleFlight(poll, dependencies);
      closers.push(singleFlight.close);
      return singleFlight;
    },
    close: async (): Promise<void> => void (await Promise.all(closers.map((close) => close()))),
  };
}

export type OpenSingleFlight = ReturnType<typeof createSingleFlights>['open'];
