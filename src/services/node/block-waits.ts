import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, SECOND } from '#domain/clock';
import { NodeRejection } from '#domain/cosmos/exchange';
import type { LegacyTransaction } from '#domain/cosmos/legacy-shapes';
import { untilInBlock } from '#domain/cosmos/until-in-block';
import { UpstreamFailure } from '#domain/upstream/failure';

/** Between looks for a transaction: doubled each time, up to a bound; in ms. */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = SECOND;

type Waiter = {
  /** An instant of the monotonic clock. */
  until: number;
  settle: (found: LegacyTransaction | undefined) => void;
  fail: (error: unknown) => void;
};

type Dependencies = {
  /** Looks a transaction up by its hash, until an instant of the monotonic clock. */
  lookUp: (hash: string, until: number) => Promise<LegacyTransaction>;
  clock: Clock;
  wait?: (ms: number) => Promise<unknown>;
};

/** Those who wait for a transaction to be in a block: each hash has one poller, for as long as somebody waits. */
export function createBlockWaits({ lookUp, clock, wait = sleep }: Dependencies) {
  const waiting = new Map<string, Set<Waiter>>();

  /** How long the next of them waits yet, once those are gone whose time is up; undefined when none is left. */
  function next(waiters: Set<Waiter>): number | undefined {
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

  async function poll(hash: string, waiters: Set<Waiter>): Promise<LegacyTransaction | undefined> {
    let pause = FIRST_PAUSE;
    return untilInBlock({
      async pause() {
        const left = next(waiters);
        if (left !== undefined) {
          await wait(Math.min(pause, left));
          pause = Math.min(2 * pause, LONGEST_PAUSE);
          if (next(waiters) !== undefined) return true;
        }
        // At once, so that whoever comes now has a poller of their own.
        waiting.delete(hash);
        return false;
      },
      lookUp: () =>
        lookUp(hash, clock.elapsed() + (next(waiters) ?? 0)).catch((error) => {
          const isSaid = error instanceof UpstreamFailure || error instanceof NodeRejection;
          throw isSaid ? new NodeRejection(404, error.message) : error;
        }),
    });
  }

  function start(hash: string): Set<Waiter> {
    const waiters = new Set<Waiter>();
    waiting.set(hash, waiters);
    const end = (tell: (waiter: Waiter) => void) => {
      if (waiting.get(hash) === waiters) waiting.delete(hash);
      for (const waiter of waiters) tell(waiter);
    };
    // The first waiter is added before anything is looked at.
    queueMicrotask(() => {
      poll(hash, waiters).then(
        (found) => end(({ settle }) => settle(found)),
        (error) => end(({ fail }) => fail(error)),
      );
    });
    return waiters;
  }

  /**
   * The transaction once it is in a block, whatever the nodes say meanwhile; undefined when the time is up, or nobody
   * wants to know any more.
   *
   * @param until an instant of the monotonic clock
   */
  return function waitForBlock(
    hash: string,
    until: number,
    signal?: AbortSignal,
  ): Promise<LegacyTransaction | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    return new Promise((settle, fail) => {
      const waiters = waiting.get(hash) ?? start(hash);
      const waiter = { until, settle, fail };
      waiters.add(waiter);
      signal?.addEventListener('abort', () => {
        waiters.delete(waiter);
        settle(undefined);
      });
    });
  };
}
