import { HOUR, MINUTE, SECOND } from '#core/clock';
import { every } from '#core/every';
import type { Log } from '#core/log';
import { tracedApart } from '#core/tracing';
import type { Backlog, OutboxMessage, OutboxStore } from '#notifications/outbox-store';
import type { FailureLog } from '#upstream/failures/failure-log';

/** How often a process checks for due messages of all processes, in ms. */
const POLL_INTERVAL = 5 * SECOND;
const ATTEMPT = 30 * SECOND;
/** How long a claim lasts, in ms: longer than an attempt. Another process takes over within a minute. */
const CLAIM = 45 * SECOND;
const AT_ONCE = 5;
const MAX_REASON = 300;

/** Throws `Undeliverable` if a retry is useless. A message may be delivered twice. Operators see the errors. */
export type Deliver = (message: OutboxMessage, signal: AbortSignal) => Promise<void>;

type Dependencies = {
  store: OutboxStore;
  log: Pick<Log, 'warn'>;
  failures: Pick<FailureLog, 'failed'>;
  deliver: Readonly<Record<string, Deliver>>;
  atOnce?: Readonly<Record<string, number>>;
};

const describeError = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, MAX_REASON);

type State = Dependencies & { stopping: AbortController; isClosed: boolean };

async function fail({ store, log, failures, isClosed }: State, message: OutboxMessage, error: unknown): Promise<void> {
  const { id, kind, userKey, attempts, age } = message;
  const reason = describeError(error);
  const fields = { id, kind, user: userKey, attempts, reason };
  // If this process stops during the attempt, other processes may deliver the message immediately.
  const pause = isClosed ? 0 : retryDelay(attempts, age, Math.random());
  if (pause !== undefined && !(error instanceof Undeliverable)) {
    await store.failed(message, pause, reason);
    // The failure is logged at `info`, because a user's broken webhook is not a fault of the service.
    failures.failed('delivery', error, { ...fields, pause }, 'info');
  } else {
    await store.gaveUp(message, reason);
    log.warn(fields, 'delivery given up');
  }
}

async function attempt(outbox: State, message: OutboxMessage): Promise<void> {
  const signal = AbortSignal.any([AbortSignal.timeout(ATTEMPT), outbox.stopping.signal]);
  const cutShort = new Promise<never>((_, reject) => {
    const give = () => reject(new Error(outbox.isClosed ? 'the service was stopped' : 'the delivery timed out'));
    signal.addEventListener('abort', give, { once: true });
  });
  const { kind, attempts } = message;
  const work = async () => outbox.deliver[kind]?.(message, signal);
  const attributes = { 'quotient.message': kind, 'quotient.attempts': attempts };
  try {
    await tracedApart(`deliver ${kind}`, attributes, () => Promise.race([work(), cutShort]));
    await outbox.store.delivered(message);
  } catch (error) {
    await fail(outbox, message, error);
  }
}

/** Delivers each message in the database at least once, at increasing intervals. */
export function createOutbox({ atOnce = {}, ...dependencies }: Dependencies) {
  const { store, failures, deliver } = dependencies;
  const outbox: State = { ...dependencies, stopping: new AbortController(), isClosed: false };
  const kinds = Object.keys(deliver);
  const underWay = new Map<OutboxMessage, Promise<void>>();
  let isWanted = false;
  let mayHaveMore = false;

  function begin(message: OutboxMessage): void {
    const work = attempt(outbox, message)
      .catch((error) => failures.failed('delivery record', error, { id: message.id }))
      .finally(() => {
        underWay.delete(message);
        if (mayHaveMore) void look();
      });
    underWay.set(message, work);
  }

  async function claim(): Promise<void> {
    const busy = (kind: string) => [...underWay.keys()].filter((message) => message.kind === kind).length;
    const room = Object.fromEntries(kinds.map((kind) => [kind, (atOnce[kind] ?? AT_ONCE) - busy(kind)]));
    const messages = await store.claim(room, CLAIM);
    mayHaveMore = kinds.some((kind) => messages.filter((message) => message.kind === kind).length === room[kind]);
    for (const message of messages) begin(message);
  }

  async function claimWhileWanted(): Promise<void> {
    do {
      isWanted = false;
      await claim();
    } while (isWanted && !outbox.isClosed);
  }

  const polling = every(POLL_INTERVAL, claimWhileWanted, {
    onError: (error) => failures.failed('outbox claim', error),
  });

  /** Starts due deliveries. Claims run one at a time. A claim that is requested during another follows it. */
  function look(): Promise<void> {
    isWanted = true;
    return polling.run();
  }

  return {
    wake: (): void => void look(),

    async deliverDue(): Promise<void> {
      do {
        await look();
        await Promise.all(underWay.values());
      } while (mayHaveMore || underWay.size > 0);
    },

    async backlog(): Promise<Backlog[]> {
      const waiting = await store.backlog();
      return kinds.map((kind) => waiting.find((backlog) => backlog.kind === kind) ?? { kind, messages: 0, oldest: 0 });
    },

    /** Waits up to `withinMs` for deliveries in progress. Other processes repeat unfinished deliveries. */
    async close(withinMs: number): Promise<void> {
      outbox.isClosed = true;
      const timer = setTimeout(() => outbox.stopping.abort(), withinMs);
      await polling.close();
      await Promise.all(underWay.values());
      clearTimeout(timer);
    },
  };
}

export type Outbox = ReturnType<typeof createOutbox>;

export const GIVEN_UP_AFTER = 24 * HOUR;
/** The pause between attempts, in ms. It doubles after each attempt, up to the longest pause. */
const FIRST_PAUSE = 30 * SECOND;
export const MAX_PAUSE = 4 * HOUR;
/** The random part of a pause, so that messages that failed together are not retried together. */
const SPREAD = 0.2;
const LEAST = MINUTE / 2;

/** The pause in ms; undefined to give up. The last attempt is at the maximum age. `random` is from 0 to 1. */
export function retryDelay(attempts: number, age: number, random: number): number | undefined {
  if (age >= GIVEN_UP_AFTER) return undefined;
  const pause = Math.min(FIRST_PAUSE * 2 ** (attempts - 1), MAX_PAUSE) * (1 + SPREAD * random);
  return Math.ceil(Math.max(LEAST, Math.min(pause, GIVEN_UP_AFTER - age)));
}

/** The recipient rejected the message permanently. */
export class Undeliverable extends Error {
  override readonly name = 'Undeliverable';
}
