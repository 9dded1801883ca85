import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, SECOND } from '#core/clock';
import { NodeRejection } from '#cosmos/exchange';
import type { LegacyTransaction } from '#cosmos/legacy-shapes';
import { untilInBlock } from '#cosmos/transactions';
import { UpstreamFailure } from '#upstream/failures/failure';

/** The delay between two look-ups, in ms. It doubles up to `MAX_PAUSE`. */
const FIRST_PAUSE = 50;
const MAX_PAUSE = SECOND;

type Waiter = {
  /** The end of the wait, in ms of the monotonic clock. */
  until: number;
  settle: (found: LegacyTransaction | undefined) => void;
  fail: (error: unknown) => void;
};

type Dependencies = {
  /** `until` is in ms of the monotonic clock. */
  lookUp: (hash: string, until: number) => Promise<LegacyTransaction>;
  clock: Clock;
  wait?: (ms: number) => Promise<unknown>;
};

/** Waits until transactions are in a block. All waiters for a hash share one poller. */
export function createBlockWaits({ lookUp, clock, wait = sleep }: Dependencies) {
  const waiting = new Map<string, Set<Waiter>>();

  /** Ends expired waits. Returns the shortest remaining time, or undefined if no waiter is left. */
  function timeLeft(waiters: Set<Waiter>): number | undefined {
    let soonest: number | undefined;
    for (const waiter of waiters) {
      const left = waiter.until - clock.elapsed();
      if (left > 0) soonest = Math.min(left, soonest ?? left);
      else {
        waiters.delete(waiter);
        waiter.settle(undefined);
      }
    }
    return soonest;
  }

  /** Continues after a failure, because a node does not know a transaction until it is in a block. */
  function poll(hash: string, waiters: Set<Waiter>): Promise<LegacyTransaction | undefined> {
    let next = FIRST_PAUSE;
    let left: number | undefined;
    return untilInBlock({
      async pause() {
        await wait(Math.min(next, timeLeft(waiters) ?? 0));
        next = Math.min(2 * next, MAX_PAUSE);
        left = timeLeft(waiters);
        // Deleted before the next await, so that a later waiter starts a new poller.
        if (left === undefined) waiting.delete(hash);
        return left !== undefined;
      },
      lookUp: () => lookUp(hash, clock.elapsed() + (left ?? 0)),
      isTransient: (error) => error instanceof UpstreamFailure || error instanceof NodeRejection,
    });
  }

  function start(hash: string, waiters: Set<Waiter>): void {
    waiting.set(hash, waiters);
    const end = (notify: (waiter: Waiter) => void) => {
      if (waiting.get(hash) === waiters) waiting.delete(hash);
      waiters.forEach(notify);
    };
    poll(hash, waiters).then(
      (found) => end(({ settle }) => settle(found)),
      (error) => end(({ fail }) => fail(error)),
    );
  }

  /** Resolves with undefined at `until` (monotonic, in ms) or when the signal aborts. */
  return function waitForBlock(
    hash: string,
    until: number,
    signal?: AbortSignal,
  ): Promise<LegacyTransaction | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    return new Promise((settle, fail) => {
      const waiters = waiting.get(hash) ?? new Set();
      const waiter = { until, settle, fail };
      waiters.add(waiter);
      if (!waiting.has(hash)) start(hash, waiters);
      signal?.addEventListener('abort', () => {
        waiters.delete(waiter);
        settle(undefined);
      });
    });
  };
}
