import type { MessagePort } from 'node:worker_threads';

/** What the thread of the embedded database is started with. */
export type WorkerData = {
  /** Where the database is; `memory://` for nowhere. */
  at: string;
  /** A dumped data directory to begin with. */
  loadDataDir: Blob | undefined;
  /** Where to listen for clients of other processes. */
  socketPath: string | undefined;
};

/** What the process says to the thread: a client comes, are you there, or stop. */
export type ToWorker = { kind: 'client'; port: MessagePort } | { kind: 'ping' } | { kind: 'close' };

/** What the thread says: it is open, it cannot be opened, it is there. */
export type FromWorker = { kind: 'open' } | { kind: 'failed'; reason: string } | { kind: 'pong' };
