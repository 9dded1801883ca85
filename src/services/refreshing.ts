import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, HOUR, MINUTE, SECOND } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import { type FailureCause, UpstreamFailure } from '../domain/upstream-failure.ts';
import type { RefreshStore } from '../stores/refreshes.ts';
import type { Watch } from './watch.ts';

/** How long a thing that could not be fetched is left alone: doubled with each failure in a row, up to a bound. */
const FIRST_PAUSE = SECOND;
const LONGEST_PAUSE = 5 * MINUTE;
/** An upstream in trouble recovers, and its breaker sees to it; what is wrong with one answer stays wrong for longer. */
const LONGEST_PAUSE_OF_ONE = HOUR;
const WRONG: ReadonlySet<FailureCause> = new Set(['unexpected', 'empty', 'refused', 'out_of_reach']);
/** A claim outlives the upstream's deadline by this, in ms: time to write down what came. */
const WRITING = 5 * SECOND;
/** How often a process looks whether another has fetched what it waits for, in ms. */
const LOOK = 100;

type Failure = { error: unknown; times: number; until: number };
/** A fetch that is under way; `startedAt` in ms of the process's own monotonic clock. */
export type Flight = { done: Promise<void>; startedAt: number };

type Parts<What extends string> = {
  store: RefreshStore;
  watch: Pick<Watch<What>, 'version' | 'sync'>;
  timeoutMs: number;
  clock: Clock;
  log: Log;
};

/** Sees to it that each thing is fetched once, however many ask for it, in however many processes. */
export function createRefreshing<What extends string>(parts: Parts<What>) {
  const { store, watch, timeoutMs, clock, log } = parts;
  const holder = randomUUID();
  const flights = new Map<What, Flight>();
  const failures = new Map<What, Failure>();

  /** Fetches a thing, or waits until another process has; throws when neither comes about within the deadline. */
  async function fetchOnce(what: What, fetch: () => Promise<void>): Promise<void> {
    const version = watch.version(what);
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      if (await store.claim(what, holder, timeoutMs + WRITING, version)) {
        try {
          return await fetch();
        } catch (error) {
          await store.letGo(what, holder).catch(() => undefined);
          throw error;
        }
      }
      await watch.sync();
      if (watch.version(what) !== version) return;
      if (performance.now() > deadline) {
        throw new UpstreamFailure(what, 'timeout', 'another process has not fetched it in time');
      }
      await wait(LOOK);
    }
  }

  async function fly(what: What, fetch: () => Promise<void>): Promise<void> {
    try {
      await fetchOnce(what, fetch);
      failures.delete(what);
    } catch (error) {
      const times = (failures.get(what)?.times ?? 0) + 1;
      const reason = error instanceof UpstreamFailure ? error.reason : undefined;
      const longest = reason && WRONG.has(reason) ? LONGEST_PAUSE_OF_ONE : LONGEST_PAUSE;
      const pause = Math.min(longest, FIRST_PAUSE * 2 ** (times - 1));
      failures.set(what, { error, times, until: clock.elapsed() + pause });
      log.warn({ err: error, what, reason }, 'could not be fetched');
      throw error;
    } finally {
      flights.delete(what);
    }
  }

  return {
    /**
     * The flight of a thing: the one under way, or a new one. Undefined while it is left alone after a failure, of
     * which `failure` tells.
     */
    start(what: What, fetch: () => Promise<void>): Flight | undefined {
      const underWay = flights.get(what);
      if (underWay) return underWay;
      if ((failures.get(what)?.until ?? Number.NEGATIVE_INFINITY) > clock.elapsed()) return undefined;
      const flight = { done: fly(what, fetch), startedAt: performance.now() };
      flight.done.catch(() => undefined);
      flights.set(what, flight);
      return flight;
    },

    /** Why a thing could not be fetched when it was last tried. */
    failure: (what: What): unknown => failures.get(what)?.error,

    /** Everything that could not be fetched when it was last tried, and why. */
    warnings: (): string[] =>
      [...failures].map(
        ([what, { error }]) => `${what}: ${error instanceof UpstreamFailure ? error.reason : 'not stored'}`,
      ),

    /** When nothing is under way any more. */
    async idle(): Promise<void> {
      while (flights.size > 0) await Promise.allSettled([...flights.values()].map(({ done }) => done));
    },
  };
}

export type Refreshing<What extends string> = ReturnType<typeof createRefreshing<What>>;
