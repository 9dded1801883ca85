import { randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, instantOf, SECOND } from '#core/clock';
import { every } from '#core/every';
import type { MetricsRegistry } from '#core/metrics';
import { Problem } from '#core/problems';
import { type AccessLog, factsOf, type RequestFacts } from '#server/access-log';
import { createConcurrencyLimit, createLoopTurns, inTurns } from '#server/connections/loop-turns';
import { readSendQueues } from '#server/connections/send-queues';
import { takeConnection } from '#server/connections/take-connection';
import type { CorsHeaders } from '#server/cross-origin';
import type { Gate } from '#server/gate';
import type { RequestHistograms } from '#server/request-metrics';
import { urlKeyFields } from '#server/url-key';
import { EventStream, eventBytes, type StreamFigures, writeStreamHead } from './event-stream.ts';
import { textOf, toProblem } from './problem-responses.ts';
import {
  type Charged,
  createMeasure,
  createReview,
  type Measure,
  STREAM_TIMES,
  type StreamTimes,
} from './stream-review.ts';
import { isGone } from './write-response.ts';

export const STREAM_LIMITS = { perUser: 10, perProcess: 5_000 } as const;
/** How many streams are written or reviewed in one turn of the event loop, in about a third of a millisecond. */
const PER_TURN = 16;
/**
 * The bounds of `retry`, in ms. The value is random, so that the clients of a stopped process do not all reconnect at
 * once.
 */
const RETRY = { least: 2_000, most: 5_000 } as const;
/** How long a reader may take to read the end of its stream when the process stops, in ms. */
const MOMENT = SECOND;

const tooMany = () =>
  new Problem(
    'too_many_streams',
    `The limit is ${STREAM_LIMITS.perUser} open streams per user. Close one, or request more tokens in one stream.`,
    { retryAfter: 5 },
  );
const overloaded = (detail: string) => new Problem('overloaded', detail, { retryAfter: 5 });

/** Subscribes a stream to its events. Returns the function that ends the subscription. */
type Subscribe = (stream: EventStream) => () => void;

type Dependencies<Receipt> = {
  gate: Pick<Gate<Receipt>, 'hold' | 'takeReceipt' | 'book'>;
  corsHeaders: CorsHeaders;
  clock: Clock;
  basePath: string;
  figures: StreamFigures;
  log: Pick<AccessLog, 'failed'>;
  requests?: Pick<RequestHistograms, 'problem'> | undefined;
  times?: StreamTimes;
};

/** `leave` releases the place of the stream. */
type Opening = Charged & { facts: RequestFacts; subscribe: Subscribe; leave: () => void };

export function createOpenStreams<Receipt>(dependencies: Dependencies<Receipt>) {
  const { gate, corsHeaders, clock, basePath, figures, log, requests, times = STREAM_TIMES } = dependencies;
  const open = new Set<{ stream: EventStream; review: () => void; measure: Measure }>();
  const beginFor = createConcurrencyLimit<number>(STREAM_LIMITS.perUser, tooMany);
  const turns = createLoopTurns(PER_TURN);
  let places = 0;
  let isClosing = false;

  /** Takes a place for a user until the response is closed, or until the result is called. Throws if none is free. */
  function takePlace({ user, raw }: FastifyRequest, response: FastifyReply['raw']): () => void {
    if (isClosing) throw overloaded('This process is stopping. Connect again.');
    if (places >= STREAM_LIMITS.perProcess) throw overloaded('This process has no room for another stream.');
    const end = beginFor(user);
    places += 1;
    const leave = () => {
      places -= 1;
      end();
    };
    if (response.closed || isGone(raw.socket)) leave();
    else response.once('close', leave);
    return leave;
  }

  /** The request and the reply are not passed, so that they do not stay in memory. */
  function start(socket: Socket, { facts, subscribe, leave, ...charged }: Opening): void {
    const stream = new EventStream(socket, { figures, turns, onClose });
    const unsubscribe = subscribe(stream);
    const review = createReview(stream, { ...charged, clock, times, fail });
    const entry = { stream, review, measure: createMeasure(stream, clock.elapsed(), times.stall) };
    open.add(entry);
    figures.open = open.size;
    // The process may have started to stop while the head was written.
    if (isClosing) stream.end();

    function fail(error: unknown): void {
      if (stream.isEnded()) return;
      const problem = toProblem(error);
      requests?.problem(problem.code);
      if (problem.status >= 500) log.failed({ ...facts, status: problem.status }, problem);
      stream.end(eventBytes('problem', textOf(problem, basePath, facts.reqId, waitOf(problem))));
    }
    function onClose(): void {
      open.delete(entry);
      figures.open = open.size;
      unsubscribe();
      leave();
    }
  }

  const reviewing = every(times.review, () => inTurns(open, PER_TURN, ({ review }) => review()));
  const measuring = every(times.measure, async () => {
    if (open.size === 0) return;
    const queues = await readSendQueues();
    for (const { measure } of open) measure(queues, clock.elapsed());
  });

  return {
    /**
     * Responds with a stream. `prepare` runs once the stream has a place, and may throw. `calls` are charged at the
     * start of each further minute. `fields` are header fields of this stream, as a flat list.
     */
    async respond(
      request: FastifyRequest,
      reply: FastifyReply,
      calls: number,
      prepare: () => Promise<Subscribe>,
      fields: readonly string[] = [],
    ): Promise<void> {
      const { raw: response } = reply;
      const leave = takePlace(request, response);
      const admission = gate.hold(request);
      const subscribe = await prepare();
      // The preparation may have waited for a source. The key may have ended in the meantime.
      await admission.check(instantOf(clock));
      if (isClosing) throw overloaded('This process is stopping. Connect again.');
      const { id, headers, method } = request;
      const receipt = gate.takeReceipt(request);
      const isThere = !isGone(request.raw.socket);
      const limits = receipt ? gate.book(receipt, isThere, clock.now()) : [];
      reply.hijack();
      if (!isThere) return;
      writeStreamHead(response, [
        'x-request-id',
        id,
        ...fields,
        ...limits,
        ...urlKeyFields(request.raw),
        ...(corsHeaders.of?.(headers.origin) ?? []),
      ]);
      if (method === 'HEAD') {
        response.end();
        return;
      }
      const facts = factsOf(request, reply, 200);
      takeConnection(response, `retry: ${randomInt(RETRY.least, RETRY.most + 1)}\n\n`, (socket) => {
        response.off('close', leave);
        start(socket, { facts, admission, calls, subscribe, leave });
      });
    },

    /** Ends all streams, and accepts no further streams. Their clients connect again, to another process. */
    async close(): Promise<void> {
      isClosing = true;
      await Promise.all([reviewing.close(), measuring.close()]);
      for (const { stream } of open) stream.end();
      setTimeout(() => {
        for (const { stream } of open) stream.close();
      }, MOMENT).unref();
    },
  };
}

/** `retryAfter` in seconds: an event has no headers. */
const waitOf = ({ headers }: Problem) =>
  headers['retry-after'] === undefined ? {} : { retryAfter: Number(headers['retry-after']) };

export type OpenStreams = ReturnType<typeof createOpenStreams>;

export function addStreamReadings(registry: MetricsRegistry, figures: StreamFigures): void {
  const unlabelled = (value: number) => [{ labels: {}, value }];
  registry.gauge('quotient_streams_open', 'Open price streams', () => figures.open);
  registry.counters('quotient_stream_events_total', 'Events written to streams', () => unlabelled(figures.events));
  const conflated = 'Events that a newer one replaced because the reader was slow';
  registry.counters('quotient_stream_conflated_total', conflated, () => unlabelled(figures.conflated));
  const cut = 'Streams cut because the reader accepted no data for 30 s';
  registry.counters('quotient_streams_cut_total', cut, () => unlabelled(figures.cut));
}
