import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { LRUCache } from 'lru-cache';
import { type Clock, type Instant, instantOf, SECOND } from '#domain/clock';
import type { OwedAnswers } from '#http/connections/owed-answers';
import { createPipelines } from '#http/connections/pipelined-requests';
import { hasBody, type RequestBodies } from '#http/connections/request-body';
import { limitUnread } from '#http/connections/unread-answers';
import { type RequestTally, type Tally, tell } from '#http/metrics/request-histogram';
import type { Burst } from '#http/pipeline/burst';
import { allowanceHeaders } from '#http/pipeline/guard';
import { requestId } from '#http/pipeline/request-id';
import { CONNECTIONS, headersSize, hostsIn, LIMITS } from '#http/pipeline/request-limits';
import type { Answer } from '#services/caching/answer';
import { evictStale } from '#services/caching/evict';
import type { Allowance, Receipt } from '#services/quota/allowance';
import type { Format, Freshness } from './cache-headers.ts';
import { acceptedCoding } from './negotiation.ts';
import { createHeadEnd, endReady, type HeadEnd, linesOf, takesReadyHead } from './prepared-head.ts';
import { isGone } from './write-response.ts';

/** How many URLs are remembered, and what the bodies of their answers may take of memory, in bytes. */
const REMEMBERED = 1000;
const REMEMBERED_BYTES = 16 * 1024 * 1024;

/** Whether a request without a body brings nothing that makes it more than a plain question. */
const isPlain = ({ headers, rawHeaders }: IncomingMessage): boolean =>
  headers['if-none-match'] === undefined &&
  headers.origin === undefined &&
  headers.upgrade === undefined &&
  hostsIn(rawHeaders) === 1;

type Remembered = {
  answer: Answer;
  format: Format;
  accept: string | undefined;
  /** Where answers to it are counted, if they are. */
  tally: Tally | undefined;
};

type Parts = {
  allowance: Allowance;
  burst: Burst;
  freshness: Freshness;
  clock: Clock;
  bodies: RequestBodies;
  answers: OwedAnswers;
  /** Whether the door answers at all. */
  isOpen: boolean;
  requests?: RequestTally | undefined;
};

/**
 * Answers at the door, before the framework, what was asked a moment ago in the very same words: the URL passed every
 * check then, and the answer still holds. Who asks is looked at and pays as everywhere. Whatever is out of the
 * ordinary goes on to the framework, untouched, which says what there is to say.
 */
export function createDoor({ allowance, burst, freshness, clock, bodies, answers, isOpen, requests }: Parts) {
  const remembered = new LRUCache<string, Remembered>({
    max: REMEMBERED,
    maxSize: REMEMBERED_BYTES,
    sizeCalculation: ({ answer, accept = '' }, url) => answer.body.size() + url.length + accept.length,
  });

  /** What the same words were answered, where it holds and nothing else is to be said of the request. */
  function recall(request: IncomingMessage, now: number): Remembered | undefined {
    const { method, url = '', headers, rawHeaders } = request;
    if (!isOpen || method !== 'GET') return undefined;
    const known = remembered.get(url);
    if (known === undefined || headers.accept !== known.accept || !isPlain(request)) return undefined;
    if (headersSize(rawHeaders) > LIMITS.headers) return undefined;
    if (known.answer.holds?.(now)) return known;
    remembered.delete(url);
    return undefined;
  }

  /** The receipt of who asks; undefined when they cannot be let in at once, and then nothing was taken. */
  function admit(apiKey: string | string[] | undefined, now: Instant): Receipt | undefined {
    const caller = typeof apiKey === 'string' ? allowance.holderAtOnce(apiKey, now) : undefined;
    if (caller === undefined) return undefined;
    // Looked at first: what is refused for coming too fast shall not count among what the key spends.
    if (burst.refuses(caller.user.key, now.wall)) return undefined;
    const receipt = allowance.spendAtOnce(caller, now);
    if (receipt !== undefined) burst.admit(caller.user.key, now.wall);
    return receipt;
  }

  /** Answers, or tells that it did not. */
  function answer(request: IncomingMessage, response: ServerResponse, headEnd: HeadEnd): boolean {
    const now = instantOf(clock);
    const known = recall(request, now.wall);
    if (known === undefined || !takesReadyHead(response) || isGone(request)) return false;
    const { headers } = request;
    const representation = known.answer.body.in(acceptedCoding(headers['accept-encoding']));
    if (representation instanceof Promise) return false;
    const receipt = admit(headers['x-api-key'], now);
    if (receipt === undefined) return false;
    allowance.keep(receipt);
    const { beginning } = freshness.headersOf(known.answer, representation, known.format, now.wall);
    const own = linesOf(allowanceHeaders(receipt, now.wall));
    const head = `${beginning}x-request-id: ${requestId(request)}\r\n${own}${headEnd(now.wall)}`;
    endReady(response, head, representation);
    if (known.tally !== undefined) tell(known.tally, (clock.elapsed() - now.elapsed) / SECOND);
    return true;
  }

  return {
    /** A server for the framework: what the door answers, the framework never sees. */
    server(framework: RequestListener, options: Record<string, unknown>): Server {
      const keepAliveMs = options.keepAliveTimeout as number;
      const headEnd = createHeadEnd(keepAliveMs);
      const inTurn = createPipelines();
      const handle: RequestListener = (request, response) => {
        if (!answer(request, response, headEnd)) framework(request, response);
      };
      const handleWithBody: RequestListener = (request, response) =>
        bodies.begin(() => framework(request, response));
      const server = createServer(options.http ?? {}, (request, response) => {
        if (hasBody(request)) {
          bodies.expect(request, response);
          inTurn(request, response, handleWithBody);
        } else inTurn(request, response, handle);
        answers.track(request, response);
      });
      limitUnread(server);
      server.maxConnections = CONNECTIONS;
      // As the framework sets them on a server of its own.
      server.keepAliveTimeout = keepAliveMs;
      server.requestTimeout = options.requestTimeout as number;
      server.setTimeout(options.connectionTimeout as number);
      return server;
    },

    /** A question was answered with 200, by the route of a pattern. */
    remember(request: IncomingMessage, answer: Answer, format: Format, route: string | undefined): void {
      const { method, url = '', headers } = request;
      if (isOpen && method === 'GET' && answer.holds) {
        const tally = requests?.of(route, method, 200);
        const now = clock.now();
        evictStale(remembered, ({ answer }) => answer.holds?.(now) === true);
        remembered.set(url, { answer, format, accept: headers.accept, tally });
      }
    },

    /** From now on everything goes to the framework: it tells open connections that they are to end. */
    close(): void {
      isOpen = false;
      remembered.clear();
    },
  };
}

export type Door = ReturnType<typeof createDoor>;
