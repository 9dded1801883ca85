import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, HOUR, SECOND } from '#core/clock';
import { annotate, traced } from '#core/tracing';
import type { RefreshStore } from './claims-and-budgets-store.ts';
import { failurePause, UpstreamFailure } from './failures/failure.ts';
import type { FailureLog } from './failures/failure-log.ts';
import type { Warning } from './freshness.ts';
import { type Resource, readResource } from './resource.ts';

/** A claim outlasts the upstream's deadline by this time, in ms, which leaves time to store the data. */
const WRITING = 5 * SECOND;
/** How often a process polls for another process's fetch, in ms. */
const POLL_INTERVAL = 100;
/** How long a failure remains a warning after its pause, in ms: a fetch might succeed again. */
const REPORTED_FOR = HOUR;
type Failure = { error: unknown; times: number; until: number };
/** `startedAt` is monotonic, in ms. */
export type InFlight = { done: Promise<void>; startedAt: number };

type Poll<What extends Resource> = { version(resource: What): number; sync(): Promise<void> };
type Dependencies = {
  store: RefreshStore;
  timeoutMs: number;
  clock: Clock;
  failures: Pick<FailureLog, 'failed'>;
};

const newState = (poll: Poll<Resource>, dependencies: Dependencies) => ({
  ...dependencies,
  poll,
  holder: randomUUID(),
  inFlight: new Map<Resource, InFlight>(),
  lastFailures: new Map<Resource, Failure>(),
  isClosed: false,
});
type State = ReturnType<typeof newState>;

const claim = ({ store, holder, timeoutMs }: State, resource: Resource, version: number): Promise<boolean> =>
  traced('claim', {}, async () => {
    const isClaimed = await store.claim(resource, holder, timeoutMs + WRITING, version);
    annotate({ 'quotient.claimed': isClaimed });
    return isClaimed;
  });

/** Fetches a resource, or waits for another process to fetch it. Throws if neither succeeds within the deadline. */
async function fetchOnce(state: State, resource: Resource, fetch: () => Promise<void>): Promise<void> {
  const { store, poll, holder, clock } = state;
  const version = poll.version(resource);
  const deadline = clock.elapsed() + state.timeoutMs;
  for (;;) {
    if (await claim(state, resource, version)) {
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
    if (state.isClosed || clock.elapsed() > deadline) {
      throw new UpstreamFailure('another process', 'timeout', `${resource} was not fetched in time`);
    }
    await wait(POLL_INTERVAL);
  }
}

async function run(state: State, resource: Resource, fetch: () => Promise<void>): Promise<void> {
  const { clock, inFlight, lastFailures } = state;
  try {
    const { kind } = readResource(resource);
    await traced(`fetch ${kind}`, { 'quotient.resource': resource }, () => fetchOnce(state, resource, fetch));
    lastFailures.delete(resource);
  } catch (error) {
    const times = (lastFailures.get(resource)?.times ?? 0) + 1;
    const reason = error instanceof UpstreamFailure ? error.reason : undefined;
    lastFailures.set(resource, { error, times, until: clock.elapsed() + failurePause(times, reason) });
    if (!state.isClosed) state.failures.failed('fetch', error, { what: resource });
    throw error;
  } finally {
    inFlight.delete(resource);
  }
}

/** Fetches each resource once for all concurrent callers in all processes. */
function createSingleFlight<What extends Resource>(poll: Poll<What>, dependencies: Dependencies) {
  const state = newState(poll, dependencies);
  const { clock, inFlight, lastFailures } = state;

  async function idle(): Promise<void> {
    while (inFlight.size > 0) await Promise.allSettled([...inFlight.values()].map(({ done }) => done));
  }

  return {
    /** Starts or joins a fetch. Returns undefined after the end, and during the pause after a failure (see `failure`). */
    start(resource: What, fetch: () => Promise<void>): InFlight | undefined {
      const running = inFlight.get(resource);
      if (running) return running;
      if (state.isClosed || (lastFailures.get(resource)?.until ?? Number.NEGATIVE_INFINITY) > clock.elapsed())
        return undefined;
      const started = { done: run(state, resource, fetch), startedAt: clock.elapsed() };
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
      state.isClosed = true;
      return idle();
    },
  };
}

export type SingleFlight<What extends Resource> = ReturnType<typeof createSingleFlight<What>>;

export function createSingleFlights(dependencies: Dependencies) {
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
