import { type Clock, type Instant, instantOf, MINUTE, SECOND } from '#core/clock';
import type { Gate } from '#server/gate';
import type { EventStream } from './event-stream.ts';

/** All times are in ms. */
export const STREAM_TIMES = {
  /** How often a stream is charged and sends a comment. */
  charge: MINUTE,
  comment: 15 * SECOND,
  /** How long a reader may accept no data. */
  stall: 30 * SECOND,
  /** How often streams are reviewed, and how often the progress of their readers is measured. */
  review: SECOND,
  measure: 5 * SECOND,
};
export type StreamTimes = typeof STREAM_TIMES;

/** `calls` are charged per minute. */
export type Charged = { admission: ReturnType<Gate['hold']>; calls: number };
type Reviewed = Charged & {
  clock: Clock;
  times: StreamTimes;
  fail: (error: unknown) => void;
};

export function createReview(stream: EventStream, { admission, calls, clock, times, fail }: Reviewed): () => void {
  const openedAt = clock.elapsed();
  let commentAt = openedAt + times.comment;
  let chargeAt = openedAt + times.charge;
  let underWay: Promise<void> | undefined;
  const isWanted = () => !stream.isEnded();

  function checkAndCharge(now: Instant): Promise<void> | undefined {
    const checked = admission.check(now) as Promise<void> | undefined;
    if (now.elapsed < chargeAt) return checked;
    chargeAt += times.charge;
    return Promise.resolve(checked).then(() => admission.charge(calls, isWanted));
  }

  return function review(): void {
    const now = instantOf(clock);
    if (now.elapsed >= commentAt) {
      commentAt += times.comment;
      stream.comment();
    }
    if (underWay !== undefined || stream.isEnded()) return;
    try {
      underWay = checkAndCharge(now)
        ?.catch(fail)
        .finally(() => {
          underWay = undefined;
        });
    } catch (problem) {
      fail(problem);
    }
  };
}

export type Measure = (queues: ReadonlyMap<string, number>, elapsed: number) => void;

/**
 * Creates the function that cuts a stream whose client acknowledges no bytes. Bytes that are written while the queues
 * are read look acknowledged in one measurement, so only a count above all earlier counts is progress.
 */
export function createMeasure(
  stream: Pick<EventStream, 'progress' | 'cut'>,
  openedAt: number,
  stallMs: number,
): Measure {
  let maxAcknowledged = 0;
  let progressAt = openedAt;

  return (queues, elapsed) => {
    const { taken, outstanding } = stream.progress(queues);
    const acknowledged = taken - outstanding;
    if (outstanding === 0 || acknowledged > maxAcknowledged) progressAt = elapsed;
    else if (elapsed - progressAt >= stallMs) stream.cut();
    maxAcknowledged = Math.max(maxAcknowledged, acknowledged);
  };
}
