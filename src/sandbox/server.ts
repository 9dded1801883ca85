import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../domain/clock.ts';
import { createCallLog } from './call-log.ts';
import { createNodes, type NodeOptions } from './chain/nodes.ts';
import { type CoingeckoPlan, createCoingecko } from './coingecko.ts';
import { createControls } from './controls.ts';
import { createFaults } from './faults.ts';
import { send, sendFault } from './faulty-answer.ts';
import { createStatisticsUpstreams } from './statistics.ts';
import type { Answer, Upstream } from './upstream.ts';

const BODY_LIMIT = 1_048_576;

const plainAnswer = (status: number, error: string): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify({ error }),
});

/** The request's body as text, or null where it is longer than 1 MB. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Read to its end all the same: leaving the loop would cut the connection before the answer.
    if (size <= BODY_LIMIT) chunks.push(chunk);
  }
  return size > BODY_LIMIT ? null : Buffer.concat(chunks).toString('utf8');
}

/**
 * Starts stand-in upstreams on 127.0.0.1, with figures that follow from `seed` (1) and the `clock` (the system's)
 * alone. `port` 0, the default, is one that is free; `plan` (`public`) sets how far back history reaches;
 * `callsPerMinute` the aggregator's rate limit, none where left out; `node` what the modern node is like. Rejects
 * when the port is taken.
 */
export async function startSandbox(
  options: {
    seed?: number;
    clock?: Clock;
    plan?: CoingeckoPlan;
    port?: number;
    callsPerMinute?: number;
    node?: NodeOptions;
  } = {},
) {
  const { seed = 1, clock = systemClock, plan = 'public', port = 0, callsPerMinute, node } = options;
  const log = createCallLog();
  const faults = createFaults();
  const controls = createControls(faults, log);
  const coingecko = createCoingecko({ seed, clock, plan, callsPerMinute });
  const statistics = createStatisticsUpstreams({ seed, clock });
  const { chain, legacy, cosmos } = createNodes({ seed, clock, ...node });
  const upstreams: readonly Upstream[] = [coingecko, ...Object.values(statistics), legacy, cosmos];

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const { method = 'GET', headers } = request;
    // Not by resolving against a base: a target that begins with two slashes would be taken for a host.
    const url = URL.parse(`http://sandbox${request.url}`);
    const body = await bodyOf(request);
    if (!url) return send(response, plainAnswer(400, 'that is no path'));
    if (body === null) return send(response, plainAnswer(413, 'the body is longer than 1 MB'));
    const { pathname: path, search, searchParams: query } = url;
    if (path.startsWith('/sandbox/')) return send(response, controls(method, path, body));
    const upstream = upstreams.find(({ prefix }) => `${path}/`.startsWith(`${prefix}/`));
    if (!upstream) return send(response, plainAnswer(404, 'no upstream is here'));

    const inner = path.slice(upstream.prefix.length);
    log.record(
      { method, path, query: Object.fromEntries(query), at: clock.now() },
      upstream.prefix + upstream.endpointOf(inner),
    );
    const answer = () => upstream.answer({ method, path: inner, query, headers, body });
    await faults.admitted({ path, search }, gone.signal);
    if (gone.signal.aborted) return;
    const fault = faults.take({ path, search });
    if (fault) await sendFault(fault, response, answer, gone.signal, upstream.rateLimited);
    else send(response, answer());
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      // The other side went away while something was under way: there is nobody left to answer.
      if (response.destroyed) return;
      if (response.headersSent) response.destroy();
      else send(response, plainAnswer(500, String(error)));
    });
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', failed);
      listening();
    });
  });

  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let closed: Promise<void> | undefined;
  return {
    /** The base for paths such as `/coins/markets`. */
    coingeckoUrl: origin + coingecko.prefix,
    cryptocompareUrl: origin + statistics.cryptocompare.prefix,
    bitcoinUrl: origin + statistics.bitcoin.prefix,
    ethereumUrl: origin + statistics.ethereum.prefix,
    solanaUrl: origin + statistics.solana.prefix,
    arweaveUrl: origin + statistics.arweave.prefix,
    /** Two nodes of one chain, in the dialect that each is named after. */
    legacyNodeUrl: origin + legacy.prefix,
    cosmosNodeUrl: origin + cosmos.prefix,
    /** The chain behind both: its accounts, its faucet, and how far a node is behind. */
    chain,
    /** `PUT`, `DELETE` faults here. */
    faultsUrl: `${origin}/sandbox/faults`,
    /** `GET`, `DELETE` the record of calls here. */
    callsUrl: `${origin}/sandbox/calls`,
    calls: log.calls,
    countCalls: log.count,
    countCallsByEndpoint: log.countByEndpoint,
    clearCalls: log.clear,
    faults: { next: faults.next, always: faults.always, clear: faults.clear, hold: faults.hold },
    /** Ends at once, whatever hangs; may be called again. */
    close(): Promise<void> {
      closed ??= new Promise((ended) => {
        server.close(() => ended());
        // Every wait of a request ends with its connection.
        server.closeAllConnections();
      });
      return closed;
    },
  };
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;
