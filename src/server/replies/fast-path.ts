import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { type Clock, instantOf, SECOND } from '#core/clock';
import { fieldsIn, headersSize, LIMITS, requestId } from '#server/connections/request-head';
import { chargedBy, type Gate, type UsagePath, type WantedScope } from '#server/gate';
import type { Answer } from '#server/replies/answer-body';
import type { LogAnswer } from '#server/request-log';
import { type Histogram, observe, type RequestHistograms } from '#server/request-metrics';
import { traceAnswer } from '#server/request-trace';
import type { Format } from './answer-headers.ts';
import { acceptedCoding } from './negotiation.ts';
import { isGone, type WriteAnswer } from './write-answer.ts';

/** The maximum number of cached requests, and the maximum size of their texts, in characters. */
const REMEMBERED = { max: 1000, maxSize: 4 * 1024 * 1024 };

/** A request to which a route has responded: its content, and the histogram of its responses. */
type Known = {
  accept: string | undefined;
  format: Format;
  route: string | undefined;
  fromCache: NonNullable<Answer['fromCache']>;
  /** The catalogue's generation when the request was validated. */
  generation: number;
  cost: number;
  scope: WantedScope;
  path: UsagePath;
  /** The URL as the request log of a user shows it. */
  shown: string;
  histogram: Histogram | undefined;
};

type Dependencies = {
  gate: Pick<Gate, 'admitAtOnce' | 'requestLog'>;
  /** The catalogue's generation. After it changes, a URL may refer to another token. */
  catalogue: { generation(): number };
  clock: Clock;
  write: WriteAnswer;
  requests?: RequestHistograms | undefined;
  log?: LogAnswer | undefined;
};

/** A request that is passed to the framework, with the catalogue's generation at its arrival. */
type Arrived = IncomingMessage & { [GENERATION]?: number };
const GENERATION = Symbol('generation of the catalogue');

/** Responds before a request reaches the framework, if the same URL was served before and the response is cached. */
export function createFastPath(dependencies: Dependencies) {
  const { gate, catalogue, clock, write, requests, log } = dependencies;
  const { requestLog } = gate;
  const known = new LRUCache<string, Known>({
    ...REMEMBERED,
    sizeCalculation: ({ accept = '' }, url) => url.length + accept.length,
  });
  let isClosed = false;

  /** Finds a plain GET: one `Host`, no upgrade, headers of an allowed size. */
  function find({ method, url = '', headers, rawHeaders }: IncomingMessage): Known | undefined {
    if (method !== 'GET') return undefined;
    const found = known.get(url);
    if (found === undefined || found.generation !== catalogue.generation()) return undefined;
    if (headers.accept !== found.accept || headers.upgrade !== undefined) return undefined;
    return fieldsIn(rawHeaders, 'host') === 1 && headersSize(rawHeaders) <= LIMITS.headers ? found : undefined;
  }

  return {
    answer(request: IncomingMessage, response: ServerResponse): boolean {
      const found = find(request);
      if (found === undefined) {
        (request as Arrived)[GENERATION] = catalogue.generation();
        return false;
      }
      const now = instantOf(clock);
      const { headers, socket } = request;
      const answer = found.fromCache(now.wall);
      if (answer === undefined || isGone(socket)) return false;
      const { cost, format, histogram, path, route, scope, shown } = found;
      const representation = answer.body.in(acceptedCoding(headers['accept-encoding']));
      if (representation instanceof Promise) return false;
      const admitted = gate.admitAtOnce(request, scope, path, cost, now);
      if (admitted === undefined) return false;
      const { user, keyId, receipt } = admitted;
      const id = requestId(request);
      const reply = { answer, representation, format, receipt, requestId: id, now: now.wall };
      const status = write(request, response, reply);
      const ms = clock.elapsed() - now.elapsed;
      if (status === 304) requests?.observe(route, 'GET', status, ms / SECOND);
      else if (histogram !== undefined) observe(histogram, ms / SECOND);
      traceAnswer(request, route, status, now.elapsed, now.elapsed + ms);
      if (requestLog !== undefined) {
        requestLog.note(user, {
          at: now.wall,
          keyId,
          method: 'GET',
          path: shown,
          status,
          code: undefined,
          cost: chargedBy(receipt),
          ms,
        });
      }
      log?.({ reqId: id, method: 'GET', route, status, ms, user });
      return true;
    },

    /** Called when a route has responded to a request. `cost` is in calls. */
    remember(
      request: IncomingMessage,
      { fromCache }: Answer,
      format: Format,
      { url: route, config }: FastifyRequest['routeOptions'],
      cost: number,
    ): void {
      const { method, url = '', headers } = request;
      const { scope, usagePath: path } = config;
      // The generation at the request's arrival. Since then, its URL may have come to refer to another token.
      const generation = (request as Arrived)[GENERATION];
      if (isClosed || method !== 'GET' || fromCache === undefined) return;
      if (generation === undefined || scope === undefined || path === undefined) return;
      const histogram = requests?.of(route, method, 200);
      const shown = requestLog?.pathOf(url, config) ?? '';
      const content = { accept: headers.accept, format, route, fromCache, cost, scope, path, shown };
      known.set(url, { ...content, generation, histogram });
    },

    /** Passes all further requests to the framework, which ends open connections. */
    close(): void {
      isClosed = true;
      known.clear();
    },
  };
}

export type FastPath = ReturnType<typeof createFastPath>;
