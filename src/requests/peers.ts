import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { type Clock, FIRST_INSTANT, LAST_INSTANT, MINUTE, SECOND } from '#core/clock';
import { PROBLEM_CODES } from '#core/problems';
import type { ListedRequest } from '#server/gate';
import { openHttpClient, targetOf } from '#upstream/transport/http-client';
import type { LiveProcess, ProcessStore } from './process-store.ts';
import type { ProcessLog } from './recent-requests.ts';

/** The maximum difference between the clocks of two processes, in ms, plus the duration of the request. */
const MAX_APART = MINUTE;
const FORM = /^Process (\d{13})\.([A-Za-z0-9_-]{43})$/;

/** `process` is the ID of the recipient, so no other process can use the token. */
type PeerRequest = { process: string; user: number };

const sign = (secret: string, { process, user }: PeerRequest, at: number): string =>
  createHmac('sha256', secret).update(`${process}.${user}.${at}`).digest('base64url');

/** The value of `Authorization` in a request from one process to another. `now` is in Unix ms. */
export const peerToken = (secret: string, request: PeerRequest, now: number): string =>
  `Process ${now}.${sign(secret, request, now)}`;

export function isPeerToken(text: string | undefined, secret: string, request: PeerRequest, now: number): boolean {
  const [, at = '', signature = ''] = FORM.exec(text ?? '') ?? [];
  if (at === '' || Math.abs(Number(at) - now) > MAX_APART) return false;
  return timingSafeEqual(Buffer.from(signature), Buffer.from(sign(secret, request, Number(at))));
}

/** How long another process may take to respond, in ms. */
const MAX_RESPONSE_TIME = SECOND;
/** Two hundred requests usually have less than 100 KB, and at most 500 KB. */
const MAX_RESPONSE_SIZE = 512 * 1024;

/** The path, under the base path, at which processes ask each other. */
export const PEER_PATH = '/internal/requests';

/** One record that does not satisfy the schema of the response would make the whole log unreadable. */
const instant = z.int().min(FIRST_INSTANT).max(LAST_INSTANT);
const record = z.object({
  at: instant,
  keyId: z.int().positive(),
  method: z.string(),
  path: z.string(),
  status: z.int(),
  code: z.enum(PROBLEM_CODES).optional(),
  detail: z.string().optional(),
  cost: z.int().nonnegative(),
  ms: z.number().nonnegative().max(Number.MAX_SAFE_INTEGER),
});

const response = z.object({ recordingSince: instant.nullable(), requests: z.array(z.unknown()) });

/** The log of another process, and whether it contains all requests. */
type PeerLog = ProcessLog & { isComplete: boolean };
const NO_RESPONSE: PeerLog = { recordingSince: null, requests: [], isComplete: false };

/**
 * Drops records that the response cannot contain, such as the records of a later release. Throws if the body is not a
 * log.
 */
function readLog(body: string): PeerLog {
  const { recordingSince, requests: records } = response.parse(JSON.parse(body));
  const requests = records.flatMap((one) => (record.safeParse(one).data ?? []) as ListedRequest | []);
  return { recordingSince, requests, isComplete: requests.length === records.length };
}

type Dependencies = {
  store: ProcessStore;
  processId: () => string;
  secret: string;
  clock: Clock;
};

/** Asks the other processes of the service. Processes find each other in the database and respond over HTTP. */
export function createPeers({ store, processId, secret, clock }: Dependencies) {
  const client = openHttpClient({ connections: 4, allowH2: false, pipelining: 1 });

  async function ask({ id: process, address }: LiveProcess, user: number): Promise<PeerLog> {
    try {
      const authorization = peerToken(secret, { process, user }, clock.now());
      const { status, bytes } = await client.request(targetOf(`${address}${PEER_PATH}/${user}`), {
        method: 'GET',
        headers: { authorization },
        withinMs: MAX_RESPONSE_TIME,
        accept: () => MAX_RESPONSE_SIZE,
      });
      if (status === 200) return readLog(bytes.toString());
    } catch {
      // A process may have stopped.
    }
    return NO_RESPONSE;
  }

  return {
    /** Returns the logs of all other processes, which record successful requests from then on. Late logs are empty. */
    async ask(user: number): Promise<PeerLog[]> {
      return Promise.all((await store.others(processId())).map((one) => ask(one, user)));
    },

    isAsked: (authorization: string | undefined, user: number): boolean =>
      isPeerToken(authorization, secret, { process: processId(), user }, clock.now()),

    close: (): Promise<void> => client.close(),
  };
}

export type Peers = ReturnType<typeof createPeers>;
