import { queryMessage, SYNC, startMessage } from './messages.ts';

/** PGlite passes slices of its own memory to the callback. */
type Engine = {
  execProtocolRawStream(messages: Uint8Array, options: { onRawData: (piece: Uint8Array) => void }): Promise<void>;
};

/** How long a client may be idle in a transaction while other clients wait, in ms. */
const IDLE_IN_TRANSACTION = 10_000;
/** Resets the session after a client has left. After an error, the engine skips messages until a Sync. */
const LEFT = Buffer.concat([SYNC, queryMessage('ROLLBACK'), queryMessage('DISCARD ALL')]);
const READY_LENGTH = 6;
const READY = 'Z'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);

const RESET = queryMessage('RESET ALL');

export type Client = {
  /** Whether the client sets no session parameters. A client of the socket, such as `psql`, may set them. */
  isTrusted: boolean;
  onEvicted: () => void;
};

type Job = { client: Client; messages: Uint8Array; done: (response: Buffer) => void };

/** Shares the engine's single session in order of arrival. A transaction keeps the session until it ends. */
export function createSession(engine: Engine, idleMs = IDLE_IN_TRANSACTION) {
  const waiting: Job[] = [];
  let holder: Client | undefined;
  let last: Client | undefined;
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

  /** Deliberately does not catch failures of the engine, because the thread must end after such a failure. */
  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    for (let job = next(); job; job = next()) {
      stopWatching();
      if (last !== undefined && last !== job.client && !last.isTrusted) await execute(RESET);
      last = job.client;
      const response = await execute(job.messages);
      holder = isInTransaction(response) ? job.client : undefined;
      job.done(response);
      // Lets the event loop read from connections between two statements.
      await new Promise(setImmediate);
    }
    isRunning = false;
    watchHolder();
  }

  /** The idle time counts from the moment when another client starts to wait. */
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
    greeting: () => execute(startMessage('postgres', 'postgres')),
    run: submit,

    /** Drops the client's queued messages and resets the session. */
    async leave(client: Client): Promise<void> {
      for (let at = waiting.length - 1; at >= 0; at--) if (waiting[at]?.client === client) waiting.splice(at, 1);
      await submit(client, LEFT);
    },

    /** Stops serving. Call this between two statements. */
    end(): void {
      stopWatching();
      isRunning = true;
      waiting.length = 0;
    },
  };
}

export type Session = ReturnType<typeof createSession>;

/** A response ends with ReadyForQuery and the transaction state, except after a Flush, which more messages follow. */
function isInTransaction(response: Buffer): boolean {
  const ready = response.subarray(-READY_LENGTH);
  return ready[0] !== READY || ready[READY_LENGTH - 1] !== IDLE;
}
