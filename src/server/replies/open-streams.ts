import { randomInt } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, instantOf } from '#core/clock';
import { every } from '#core/every';
import type { MetricsRegistry } from '#core/metrics';
import { Problem } from '#core/problems';
import { createConcurrencyLimit, createLoopTurns } from '#server/connections/loop-turns';
import { readSendQueues } from '#server/connections/send-queues';
import type { CorsHeaders } from '#server/cross-origin';
import type { Gate } from '#server/gate';
import type { RequestLog } from '#server/request-log';
import { type RequestHistograms, recordNow } from '#server/request-metrics';
import { endTrace } from '#server/request-trace';
import {
  createEventStream,
  type EventStream,
  eventBytes,
  type StreamFigures,
  writeStreamHead,
} from './event-stream.ts';
import { textOf, toProblem } from './problem-replies.ts';
import {
  type Charged,
  createMeasure,
  createReview,
  type Measure,
  STREAM_TIMES,
  type StreamTimes,
} from './stream-review.ts';
import { isGone } from './write-answer.ts';

export const STREAM_LIMITS = { perUser: 10, perProcess: 5_000 } as const;
/** How many streams are written or reviewed in one turn of the event loop: about a third of a millisecond's work. */
const PER_TURN = 16;
/** The bounds of `retry`, in ms. A random value spreads the clients of a stopped process. */
const RETRY = { least: 2_000, most: 5_000 } as const;

const tooMany = () =>
  new Problem(
    'too_many_streams',
    `The limit is ${STREAM_LIMITS.perUser} open streams per user. Close one, or request more tokens in one stream.`,
    { retryAfter: 5 },
  );
const overloaded = (detail: string) => new Problem('overloaded', detail, { retryAfter: 5 });

/** Subscribes a stream to its events. Returns the function that ends the subscription. */
type Subscribe = (stream: EventStream) => () => void;

type Dependencies = {
  gate: Pick<Gate, 'hold' | 'settle'>;
  corsHeaders: CorsHeaders;
  clock: Clock;
  basePath: string;
  figures: StreamFigures;
  log: Pick<RequestLog, 'failed'>;
  requests?: RequestHistograms | undefined;
  times?: StreamTimes;
};

/** Opens streams of server-sent events, charges and checks them while they are open, and ends them. */
export function createOpenStreams(dependencies: Dependencies) {
  const { gate, corsHeaders, clock, basePath, figures, log, requests, times = STREAM_TIMES } = dependencies;
  const open = new Set<{ review: () => void; measure: Measure; end: () => void }>();
  const beginFor = createConcurrencyLimit<number>(STREAM_LIMITS.perUser, tooMany);
  const turns = createLoopTurns(PER_TURN);
  let places = 0;
  let isClosing = false;

  /** Takes a place for a user until the response is closed. Throws a problem if there is none. */
  function takePlace({ user, raw }: FastifyRequest, response: FastifyReply['raw']): void {
    if (isClosing) throw overloaded('This process is stopping. Connect again.');
    if (places >= STREAM_LIMITS.perProcess) throw overloaded('This process has no room for another stream.');
    const leave = beginFor(user);
    places += 1;
    const free = () => {
      places -= 1;
      leave();
    };
    if (response.closed || isGone(raw.socket)) free();
    else response.once('close', free);
  }

  function start(request: FastifyRequest, reply: FastifyReply, subscribe: Subscribe, charged: Charged): void {
    const stream = createEventStream(reply.raw, { figures, turns });
    stream.retryAfter(randomInt(RETRY.least, RETRY.most + 1));
    const unsubscribe = subscribe(stream);

    function fail(error: unknown): void {
      if (stream.isEnded()) return;
      const problem = toProblem(error);
      requests?.problem(problem.code);
      if (problem.status >= 500) log.failed(request, reply, problem);
      stream.end(eventBytes('problem', textOf(problem, basePath, request.id, waitOf(problem))));
    }
    const review = createReview(stream, { ...charged, clock, times, fail });
    const one = { review, measure: createMeasure(stream, clock.elapsed(), times.stall), end: stream.end };
    open.add(one);
    figures.open = open.size;
    reply.raw.once('close', () => {
      open.delete(one);
      figures.open = open.size;
      turns.leave(review);
      unsubscribe();
    });
  }

  const reviewing = every(times.review, () => {
    for (const { review } of open) turns.wait(review);
  });
  const measuring = every(times.measure, async () => {
    if (open.size === 0) return;
    const queues = await readSendQueues();
    for (const { measure } of open) measure(queues, clock.elapsed());
  });

  return {
    /**
     * Responds with a stream. `prepare` runs once the stream has a place, and may throw a problem. `calls` are charged at
     * the start of each further minute.
     */
    async respond(
      request: FastifyRequest,
      reply: FastifyReply,
      calls: number,
      prepare: () => Promise<Subscribe>,
    ): Promise<void> {
      const { raw: response } = reply;
      takePlace(request, response);
      const admission = gate.hold(request);
      const subscribe = await prepare();
      // The preparation may have waited for a source. The key may have ended in the meantime.
      await admission.check(instantOf(clock));
      if (isClosing) throw overloaded('This process is stopping. Connect again.');
      const { receipt, id, headers, method } = request;
      request.receipt = undefined;
      const isThere = !isGone(request.raw.socket);
      const limits = receipt ? gate.settle(receipt, isThere, clock.now()) : [];
      reply.hijack();
      if (!isThere) return;
      if (requests) recordNow(request, reply, requests);
      writeStreamHead(response, ['x-request-id', id, ...limits, ...(corsHeaders.of?.(headers.origin) ?? [])]);
      endTrace(response);
      if (method === 'HEAD') response.end();
      else start(request, reply, subscribe, { admission, calls });
    },

    /** Ends all streams, and accepts no others. Their clients connect again, to another process. */
    async close(): Promise<void> {
      isClosing = true;
      await Promise.all([reviewing.close(), measuring.close()]);
      for (const { end } of open) end();
    },
  };
}

/** `retryAfter` in seconds: an event has no headers. */
const waitOf = ({ headers }: Problem) =>
  headers['retry-after'] === undefined ? {} : { retryAfter: Number(headers['retry-after']) };

export type OpenStreams = ReturnType<typeof createOpenStreams>;

export function addStreamReadings(registry: MetricsRegistry, figures: StreamFigures): void {
  const one = (value: number) => [{ labels: {}, value }];
  registry.gauge('quotient_streams_open', 'Open price streams', () => figures.open);
  registry.counters('quotient_stream_events_total', 'Events written to streams', [], () => one(figures.events));
  const conflated = 'Events that a newer one replaced because the reader was slow';
  registry.counters('quotient_stream_conflated_total', conflated, [], () => one(figures.conflated));
  const cut = 'Streams cut because the reader accepted no data for 30 s';
  registry.counters('quotient_streams_cut_total', cut, [], () => one(figures.cut));
}
