import { queryMessage, SYNC, startMessage } from './messages.ts';

/** What PGlite does with messages: it calls back with pieces of the answer, which are its own memory. */
type Engine = {
  execProtocolRawStream(messages: Uint8Array, options: { onRawData: (piece: Uint8Array) => void }): Promise<void>;
};

/** How long a client may leave its transaction alone while others wait, in ms. */
const IDLE_IN_TRANSACTION = 10_000;

/** What a session is left with: no transaction, no settings and no statements of whoever had it. After an error the
 * engine skips what comes before a Sync. */
const LEFT = Buffer.concat([SYNC, queryMessage('ROLLBACK'), queryMessage('DISCARD ALL')]);

const READY_LENGTH = 6;
const READY = 'Z'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);

export type Client = {
  /** Told that the session was taken away, since it lay idle in a transaction while others waited. */
  onEvicted: () => void;
};

type Job = { client: Client; messages: Uint8Array; done: (answer: Buffer) => void };

/**
 * The one session that the embedded engine has, for any number of clients: they take turns, first come first served, and
 * one that is in a transaction keeps the session until it ends.
 * @param idleMs how long a client may leave its transaction alone while others wait
 */
export function createSession(engine: Engine, idleMs = IDLE_IN_TRANSACTION) {
  const waiting: Job[] = [];
  let holder: Client | undefined;
  let isRunning = false;
  let idle: NodeJS.Timeout | undefined;

  async function execute(messages: Uint8Array): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    await engine.execProtocolRawStream(messages, { onRawData: (piece) => pieces.push(piece.slice()) });
    return Buffer.concat(pieces);
  }

  const next = () => {
    const at = holder === undefined ? 0 : waiting.findIndex(({ client }) => client === holder);
    return waiting.splice(at < 0 ? waiting.length : at, 1)[0];
  };

  /** A failure of the engine is thrown where nobody catches it: it has ended, and its thread ends with it. */
  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    for (let job = next(); job; job = next()) {
      stopWatching();
      const answer = await execute(job.messages);
      holder = isInTransaction(answer) ? job.client : undefined;
      job.done(answer);
      // Connections are read between two statements.
      await new Promise(setImmediate);
    }
    isRunning = false;
    watchHolder();
  }

  /** The time runs from when somebody waits, however many come after. */
  function watchHolder(): void {
    if (holder === undefined || waiting.length === 0) return;
    idle ??= setTimeout(() => holder?.onEvicted(), idleMs);
  }

  function stopWatching(): void {
    clearTimeout(idle);
    idle = undefined;
  }

  function submit(client: Client, messages: Uint8Array): Promise<Buffer> {
    return new Promise((done) => {
      waiting.push({ client, messages, done });
      void run();
    });
  }

  return {
    /** What a client is told at its beginning: parameters of the server, and that it may go on. */
    greeting: () => execute(startMessage('postgres', 'postgres')),

    /** The answer to messages of a client, in its turn. */
    run: submit,

    /** Gives up what a client has asked for and not got, and leaves the session as it was before it. */
    async leave(client: Client): Promise<void> {
      for (let at = waiting.length - 1; at >= 0; at--) if (waiting[at]?.client === client) waiting.splice(at, 1);
      await submit(client, LEFT);
    },

    /** Nothing runs any more. To be told between two statements. */
    end(): void {
      stopWatching();
      isRunning = true;
      waiting.length = 0;
    },
  };
}

export type Session = ReturnType<typeof createSession>;

/** An answer ends with ReadyForQuery and the state of the transaction. One to a Flush does not: there is more to come. */
function isInTransaction(answer: Buffer): boolean {
  const ready = answer.subarray(-READY_LENGTH);
  return ready[0] !== READY || ready[READY_LENGTH - 1] !== IDLE;
}
