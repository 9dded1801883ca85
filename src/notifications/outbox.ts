import { HOUR, MINUTE, SECOND } from '#core/clock';
import { every } from '#core/every';
import type { Log } from '#core/log';
import type { OutboxMessage, OutboxStore } from '#notifications/outbox-store';
import type { FailureLog } from '#upstream/failure-log';

/** How often a process looks for what others have added or left behind, and for what is to be tried again, in ms. */
const POLL_EVERY = 5 * SECOND;
/** How long one attempt may take, in ms. */
const ATTEMPT = 30 * SECOND;
/** How long a message is one process's, in ms: longer than an attempt, and after a kill another's within a minute. */
const CLAIM = 45 * SECOND;
/** How many of each kind a process has under way, where nothing else is said of it. */
const AT_ONCE = 5;
/** What is kept of an error, in characters. */
const MOST_TOLD = 300;

/**
 * Delivers a message, or throws: `Undeliverable` where another attempt would be in vain. After a crash it may be asked
 * to deliver the same again. What it throws is logged and shown to the operator.
 */
export type Deliver = (message: OutboxMessage, signal: AbortSignal) => Promise<void>;

type Dependencies = {
  store: OutboxStore;
  log: Pick<Log, 'warn'>;
  failures: Pick<FailureLog, 'failed'>;
  /** Who delivers the messages of each kind; those of other kinds are left alone. */
  deliver: Readonly<Record<string, Deliver>>;
  /** How many of a kind a process has under way. */
  atOnce?: Readonly<Record<string, number>>;
};

const told = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, MOST_TOLD);

/**
 * What leaves the service for somebody outside: messages wait in the database and are delivered behind the calls that
 * caused them, by one process at a time, at least once. One that fails is tried again after growing pauses.
 */
export function createOutbox({ store, log, failures, deliver, atOnce = {} }: Dependencies) {
  const kinds = Object.keys(deliver);
  const underWay = new Map<OutboxMessage, Promise<void>>();
  const stopping = new AbortController();
  let isWanted = false;
  let mayHaveMore = false;
  let isClosed = false;

  async function fail(message: OutboxMessage, error: unknown): Promise<void> {
    const { id, kind, userKey, attempts, age } = message;
    const reason = told(error);
    const facts = { id, kind, user: userKey, attempts, reason };
    // What the end of this process cuts short is the next one's at once.
    const pause = isClosed ? 0 : pauseAfter(attempts, age, Math.random());
    if (pause !== undefined && !(error instanceof Undeliverable)) {
      await store.failed(message, pause, reason);
      // At `info`: one user's broken webhook is no fault of the service.
      failures.failed('delivery', error, { ...facts, pause }, 'info');
    } else {
      await store.gaveUp(message, reason);
      log.warn(facts, 'delivery given up');
    }
  }

  async function attempt(message: OutboxMessage): Promise<void> {
    const signal = AbortSignal.any([AbortSignal.timeout(ATTEMPT), stopping.signal]);
    const cutShort = new Promise<never>((_, reject) => {
      const give = () => reject(new Error(isClosed ? 'the service was stopped' : 'it took too long'));
      signal.addEventListener('abort', give, { once: true });
    });
    const work = async () => deliver[message.kind]?.(message, signal);
    try {
      await Promise.race([work(), cutShort]);
      await store.delivered(message);
    } catch (error) {
      await fail(message, error);
    }
  }

  function begin(message: OutboxMessage): void {
    const work = attempt(message)
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
    mayHaveMore = kinds.some((kind) => messages.filter((one) => one.kind === kind).length === room[kind]);
    for (const message of messages) begin(message);
  }

  async function claimWhileWanted(): Promise<void> {
    do {
      isWanted = false;
      await claim();
    } while (isWanted && !isClosed);
  }

  const polling = every(POLL_EVERY, claimWhileWanted, {
    onError: (error) => failures.failed('outbox claim', error),
  });

  /** Begins with what is due; one claim at a time, which is repeated for who asks meanwhile. */
  function look(): Promise<void> {
    isWanted = true;
    return polling.run();
  }

  return {
    /** To be called when messages were added: they leave at once. */
    wake: (): void => void look(),

    /** Resolves when all that is due was tried. */
    async deliverDue(): Promise<void> {
      do {
        await look();
        await Promise.all(underWay.values());
      } while (mayHaveMore || underWay.size > 0);
    },

    tidy: (): Promise<void> => store.tidy(),

    /** Ends what is under way: within so many ms, else it is left to another process. */
    async close(withinMs: number): Promise<void> {
      isClosed = true;
      const timer = setTimeout(() => stopping.abort(), withinMs);
      await polling.close();
      await Promise.all(underWay.values());
      clearTimeout(timer);
    },
  };
}

export type Outbox = ReturnType<typeof createOutbox>;

/** How long a message is tried to be delivered, in ms from when it was added. */
export const GIVEN_UP_AFTER = 24 * HOUR;

/** Between one attempt and the next, in ms: twice as long each time. */
const PAUSE = { first: 30 * SECOND, longest: 4 * HOUR };
/** A pause may be longer by so much of it, so that what failed together does not come back together. */
const SPREAD = 0.2;
/** No attempt follows another sooner. */
const LEAST = MINUTE / 2;

/**
 * The pause before the next attempt, in ms; undefined when the message is to be given up. The last attempt is made when
 * its time is over, however long the pause before would be.
 * @param attempts how many were made
 * @param age of the message, in ms
 * @param random from 0 to 1
 */
export function pauseAfter(attempts: number, age: number, random: number): number | undefined {
  if (age >= GIVEN_UP_AFTER) return undefined;
  const pause = Math.min(PAUSE.first * 2 ** (attempts - 1), PAUSE.longest) * (1 + SPREAD * random);
  return Math.ceil(Math.max(LEAST, Math.min(pause, GIVEN_UP_AFTER - age)));
}

/** A message was refused for good: another attempt would be in vain. */
export class Undeliverable extends Error {
  override readonly name = 'Undeliverable';
}
