import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { type Clock, SECOND } from '#core/clock';
import { every } from '#core/every';
import { PROBLEM_CODES } from '#core/problems';
import type { ListedRequest } from '#server/gate';
import type { FailureLog } from '#upstream/failure-log';
import { openHttpClient } from '#upstream/transport/http-client';
import { isPeerToken, peerToken } from './peer-token.ts';
import type { LiveProcess, ProcessStore } from './process-store.ts';

/** A process is announced again while two thirds of its time are left, so one failed statement does not matter. */
const ANNOUNCED_FOR = 30 * SECOND;
const ANNOUNCE_EVERY = 10 * SECOND;
/** How long another process may take to answer, in ms. */
const ANSWER_WITHIN = SECOND;
/** A hundred requests have less than 50 KB. */
const LARGEST_ANSWER = 256 * 1024;

/** The last instant that has a date, in Unix ms. */
const LATEST = 8.64e15;

/** The path below the base path at which processes ask each other. */
export const PEER_PATH = '/internal/requests';

/** A record that the log could not contain would make the whole log unreadable. */
const answer = z.array(
  z.object({
    at: z.int().nonnegative().max(LATEST),
    keyId: z.int().positive(),
    method: z.string(),
    path: z.string(),
    status: z.int(),
    code: z.enum(PROBLEM_CODES).optional(),
    cost: z.int().nonnegative(),
    ms: z.number().nonnegative(),
  }),
);

type Dependencies = {
  store: Pick<ProcessStore, 'announce' | 'others' | 'leave'>;
  /** A secret that all processes share. */
  secret: string;
  clock: Clock;
  failures: Pick<FailureLog, 'failed'>;
};

/** Asks the other processes of the service, which find each other in the database and answer over HTTP. */
export function createPeers({ store, secret, clock, failures }: Dependencies) {
  const id = randomUUID();
  const client = openHttpClient({ connections: 4, allowH2: false, pipelining: 1, maxResponseSize: LARGEST_ANSWER });
  let own: LiveProcess | undefined;
  const announcing = every(ANNOUNCE_EVERY, async () => own && store.announce(own, ANNOUNCED_FOR), {
    onError: (error) => failures.failed('process announcement', error),
  });

  async function ask({ id: process, address }: LiveProcess, user: number): Promise<ListedRequest[] | undefined> {
    const signal = AbortSignal.timeout(ANSWER_WITHIN);
    try {
      const authorization = peerToken(secret, { process, user }, clock.now());
      const response = await client.request(`${address}${PEER_PATH}/${user}`, {
        method: 'GET',
        headers: { authorization },
        signal,
      });
      const body = await text(response.body);
      return response.statusCode === 200 ? (answer.parse(JSON.parse(body)) as ListedRequest[]) : undefined;
    } catch {
      // The response states that it is not complete. A process may have stopped.
      return undefined;
    }
  }

  return {
    /** Called once this process listens. `address` is a URL without a trailing slash. */
    async announce(address: string): Promise<void> {
      own = { id, address };
      await announcing.run();
    },

    /** Returns the requests of each other process; undefined for a process that did not answer in time. */
    async ask(user: number): Promise<(ListedRequest[] | undefined)[]> {
      return Promise.all((await store.others(id)).map((one) => ask(one, user)));
    },

    /** Whether another process of the service asks this process for a user's requests. */
    isAsked: (authorization: string | undefined, user: number): boolean =>
      isPeerToken(authorization, secret, { process: id, user }, clock.now()),

    async close(): Promise<void> {
      await announcing.close();
      if (own) await store.leave(id).catch((error: unknown) => failures.failed('process announcement', error));
      await client.close();
    },
  };
}

export type Peers = ReturnType<typeof createPeers>;
