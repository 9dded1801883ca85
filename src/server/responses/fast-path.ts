import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { type Clock, instantOf } from '#core/clock';
import { fieldsIn, headersSize, LIMITS, type RequestHead, requestId } from '#server/connections/request-head';
import type { FinishedRequest } from '#server/finish-request';
import type { ChargedRoute, Gate, RouteFacts } from '#server/gate';
import type { Histogram, RequestHistograms } from '#server/request-metrics';
import type { DataResponse, Representation } from '#server/responses/response-body';
import { acceptedCoding } from './negotiation.ts';
import type { Format } from './response-headers.ts';
import { isGone, type WriteDataResponse } from './write-response.ts';

/** The maximum number of cached requests, and the maximum total size of their texts, in characters. */
const REMEMBERED = { max: 1000, maxSize: 4 * 1024 * 1024 };

/** A request to which a route has responded: its content, and the histogram of its responses. */
type Known = {
  accept: string | undefined;
  format: Format;
  route: string | undefined;
  fromCache: NonNullable<DataResponse['fromCache']>;
  /** The catalogue's generation when the request was validated. */
  generation: number;
  cost: number;
  charged: ChargedRoute;
  config: RouteFacts;
  histogram: Histogram | undefined;
};

type Dependencies<Receipt> = {
  gate: Pick<Gate<Receipt>, 'admitAtOnce' | 'takeReceipt' | 'costOf'>;
  /** The catalogue's generation. After it changes, a URL may refer to another token. */
  catalogue: { generation(): number };
  clock: Clock;
  write: WriteDataResponse<Receipt>;
  finish: (request: FinishedRequest) => void;
  requests?: RequestHistograms | undefined;
};

/** A request that is passed to the framework, with the catalogue's generation at its arrival. */
type Arrived = IncomingMessage & { [GENERATION]?: number };
const GENERATION = Symbol('generation of the catalogue');

export function createFastPath<Receipt>(dependencies: Dependencies<Receipt>) {
  const { gate, catalogue, clock, write, finish, requests } = dependencies;
  const requestsByUrl = new LRUCache<string, Known>({
    ...REMEMBERED,
    sizeCalculation: ({ accept = '' }, url) => url.length + accept.length,
  });
  let isClosed = false;

  /** Whether a request is a plain GET: one `Host`, no upgrade, headers of an allowed size. */
  const isPlain = ({ method, headers, rawHeaders }: RequestHead): boolean =>
    method === 'GET' &&
    headers.upgrade === undefined &&
    fieldsIn(rawHeaders, 'host') === 1 &&
    headersSize(rawHeaders) <= LIMITS.headers;

  function find({ url = '', headers }: RequestHead): Known | undefined {
    // Without `get`, which would record the use. A frequent request that is evicted is soon cached again.
    const found = requestsByUrl.peek(url);
    if (found === undefined || found.generation !== catalogue.generation()) return undefined;
    return headers.accept === found.accept ? found : undefined;
  }

  /** Responds to a plain GET from the cache, without waiting. `response` is undefined for a repeated request. */
  function respondAtOnce(found: Known, request: RequestHead, response: ServerResponse | undefined): boolean {
    const now = instantOf(clock);
    const { headers, socket } = request;
    const data = found.fromCache(now.wall);
    if (data === undefined || isGone(socket)) return false;
    const { charged, config, format, histogram, route } = found;
    const { cost = found.cost } = data;
    if (cost === 0) return false;
    const representation = data.body.in(acceptedCoding(headers['accept-encoding']));
    if (representation instanceof Promise) return false;
    const admitted = gate.admitAtOnce(request, charged, cost, now);
    if (admitted === undefined) return false;
    const { user, keyId, receipt } = admitted;
    const id = requestId(request);
    const content = { data, representation, format, receipt, requestId: id, now: now.wall };
    const status = write(request, response, content);
    finish({
      reqId: id,
      method: 'GET',
      route,
      status,
      ms: clock.elapsed() - now.elapsed,
      user,
      at: now.wall,
      keyId,
      code: undefined,
      detail: undefined,
      cost: gate.costOf(receipt),
      countedAs: undefined,
      histogram: status === 200 ? histogram : undefined,
      raw: request,
      config,
      arrivedAt: now.elapsed,
    });
    return true;
  }

  /** `cost` is in calls. */
  function remember(
    request: IncomingMessage,
    { fromCache }: DataResponse,
    format: Format,
    { url: route, config }: FastifyRequest['routeOptions'],
    cost: number,
  ): void {
    const { method, url = '', headers } = request;
    const { scope, usagePath, coinGeckoKeys } = config;
    // The generation when the request arrived. Since then, the URL may have come to refer to another token.
    const generation = (request as Arrived)[GENERATION];
    if (isClosed || method !== 'GET' || fromCache === undefined) return;
    if (generation === undefined || scope === undefined || usagePath === undefined) return;
    const histogram = requests?.of(route, method, 200);
    const charged = { scope, usagePath, coinGeckoKeys };
    const content = { accept: headers.accept, format, route, fromCache, cost, charged, config };
    requestsByUrl.set(url, { ...content, generation, histogram });
  }

  function give(
    request: FastifyRequest,
    reply: FastifyReply,
    data: DataResponse,
    representation: Representation,
    format: Format,
  ): void {
    const { id: requestId, raw, routeOptions } = request;
    const receipt = gate.takeReceipt(request);
    if (receipt) remember(raw, data, format, routeOptions, gate.costOf(receipt));
    reply.hijack();
    write(raw, reply.raw, { data, representation, format, receipt, requestId, now: clock.now() });
  }

  /** Sends the response of a route. Runs synchronously if possible: a promise per call takes measurable time. */
  function send(
    request: FastifyRequest,
    reply: FastifyReply,
    data: DataResponse | Promise<DataResponse>,
    format: Format = 'json',
  ): void | Promise<void> {
    if (data instanceof Promise) return data.then((response) => send(request, reply, response, format));
    const representation = data.body.in(acceptedCoding(request.headers['accept-encoding']));
    if (representation instanceof Promise)
      return representation.then((coded) => give(request, reply, data, coded, format));
    give(request, reply, data, representation, format);
  }

  return {
    remember,
    send,

    respond(request: IncomingMessage, response: ServerResponse): boolean {
      const found = isPlain(request) ? find(request) : undefined;
      if (found !== undefined) return respondAtOnce(found, request, response);
      (request as Arrived)[GENERATION] = catalogue.generation();
      return false;
    },

    /** Responds to a request whose head equals that of a request to which `respond` has responded, except for its key. */
    repeat(request: RequestHead): boolean {
      const found = find(request);
      return found !== undefined && respondAtOnce(found, request, undefined);
    },

    /** Passes all further requests to the framework, which closes open connections. */
    close(): void {
      isClosed = true;
      requestsByUrl.clear();
    },
  };
}

type FastPath = ReturnType<typeof createFastPath>;
export type Send = FastPath['send'];
