import { z } from 'zod';
import { type Clock, FIRST_INSTANT, LAST_INSTANT, SECOND } from '#core/clock';
import { PROBLEM_CODES } from '#core/problems';
import type { ListedRequest } from '#server/gate';
import { openHttpClient, targetOf } from '#upstream/transport/http-client';
import { isPeerToken, peerToken } from './peer-token.ts';
import type { LiveProcess, ProcessStore } from './process-store.ts';

/** How long another process may take to respond, in ms. */
const MAX_RESPONSE_TIME = SECOND;
/** A hundred requests have less than 100 KB. */
const MAX_RESPONSE_SIZE = 256 * 1024;

/** The path, under the base path, at which processes ask each other. */
export const PEER_PATH = '/internal/requests';

/**
 * Records are validated, because a record that does not satisfy the schema of the response would make the whole log
 * unreadable.
 */
const record = z.object({
  at: z.int().min(FIRST_INSTANT).max(LAST_INSTANT),
  keyId: z.int().positive(),
  method: z.string(),
  path: z.string(),
  status: z.int(),
  code: z.enum(PROBLEM_CODES).optional(),
  detail: z.string().optional(),
  cost: z.int().nonnegative(),
  ms: z.number().nonnegative().max(Number.MAX_SAFE_INTEGER),
});

/** The requests of other processes, and whether all of them are included. */
type Found = { requests: ListedRequest[]; isComplete: boolean };

/**
 * Drops records that the response cannot contain, such as records from a later release. Throws if the body is not a
 * list.
 */
function readRecords(body: string): Found {
  const parsed = z
    .array(z.unknown())
    .parse(JSON.parse(body))
    .map((one) => record.safeParse(one));
  const requests = parsed.flatMap(({ data }) => (data ? [data as ListedRequest] : []));
  return { requests, isComplete: requests.length === parsed.length };
}

type Dependencies = {
  store: ProcessStore;
  /** The current ID of this process. */
  processId: () => string;
  /** A secret that all processes share. */
  secret: string;
  clock: Clock;
};

/** Asks the other processes of the service. Processes find each other in the database and respond over HTTP. */
export function createPeers({ store, processId, secret, clock }: Dependencies) {
  const client = openHttpClient({ connections: 4, allowH2: false, pipelining: 1 });

  async function ask({ id: process, address }: LiveProcess, user: number): Promise<Found> {
    try {
      const authorization = peerToken(secret, { process, user }, clock.now());
      const { status, bytes } = await client.request(targetOf(`${address}${PEER_PATH}/${user}`), {
        method: 'GET',
        headers: { authorization },
        withinMs: MAX_RESPONSE_TIME,
        accept: () => MAX_RESPONSE_SIZE,
      });
      if (status === 200) return readRecords(bytes.toString());
    } catch {
      // A process may have stopped.
    }
    return { requests: [], isComplete: false };
  }

  return {
    /**
     * Returns the requests from all other processes. If a process does not respond in time, its requests are missing.
     */
    async ask(user: number): Promise<Found> {
      const found = await Promise.all((await store.others(processId())).map((one) => ask(one, user)));
      return {
        requests: found.flatMap(({ requests }) => requests),
        isComplete: found.every(({ isComplete }) => isComplete),
      };
    },

    /** Whether another process of the service asks this process for a user's requests. */
    isAsked: (authorization: string | undefined, user: number): boolean =>
      isPeerToken(authorization, secret, { process: processId(), user }, clock.now()),

    close: (): Promise<void> => client.close(),
  };
}

export type Peers = ReturnType<typeof createPeers>;
