import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Chain, createChain } from './chain/chain.ts';
import { createCosmosNode } from './chain/cosmos-node.ts';
import { createLegacyNode } from './chain/legacy-node.ts';
import { createRpcNode } from './chain/rpc/rpc-node.ts';
import type { CometVersion } from './chain/rpc/rpc-records.ts';
import type { PlanName } from './errors.ts';
import { createFaults, send, sendFault } from './faults.ts';
import { createCoinbase } from './prices/coinbase.ts';
import { createCoingecko } from './prices/coingecko.ts';
import { createEcb } from './prices/ecb.ts';
import { createKraken } from './prices/kraken.ts';
import { createArweave, createSolana } from './statistics/arweave.ts';
import { createBlockchainInfo, createMempool } from './statistics/bitcoin.ts';
import { createBlockscout } from './statistics/blockscout.ts';
import { createCryptoCompare } from './statistics/cryptocompare.ts';
import { type Clock, createCallLog, jsonReply, type Setting, type Upstream } from './upstream.ts';

const errorReply = (status: number, error: string) => jsonReply(status, { error });

const createUpstreams = (setting: Setting, chain: Chain, plan: PlanName, comet: CometVersion | undefined) =>
  ({
    coingecko: createCoingecko({ ...setting, plan }),
    kraken: createKraken(setting),
    coinbase: createCoinbase(setting),
    exchangeRates: createEcb(setting),
    // All statistics sources for a chain return consistent figures.
    cryptocompare: createCryptoCompare(setting),
    bitcoin: createBlockchainInfo(setting),
    mempool: createMempool(setting),
    ethereum: createBlockscout(setting),
    // Blockscout's hosted service requires a key.
    blockscout: createBlockscout(setting, '/blockscout/1/api/v2', true),
    solana: createSolana(setting),
    arweave: createArweave(setting),
    // The nodes share one chain, and each node serves one interface.
    legacyNode: createLegacyNode(chain, setting.clock),
    cosmosNode: createCosmosNode(chain, setting.clock),
    rpcNode: createRpcNode(chain, comet),
  }) satisfies Record<string, Upstream>;

/**
 * Starts stand-in upstreams on a free port of 127.0.0.1. Options and their defaults:
 *
 * - `seed` (1) and `clock` (the system clock) determine all values.
 * - `plan` (`public`) limits the history.
 * - `node` configures the nodes: the version of CometBFT (0.38), and the time between blocks (6 s).
 */
export async function startSandbox(
  options: { seed?: number; clock?: Clock; plan?: PlanName; node?: { comet?: CometVersion; blockMs?: number } } = {},
) {
  const { seed = 1, clock = { now: Date.now }, plan = 'public', node = {} } = options;
  const log = createCallLog();
  const faults = createFaults();
  const setting = { seed, clock };
  const chain = createChain(setting, node.blockMs);
  const upstreams = createUpstreams(setting, chain, plan, node.comet);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const disconnected = new AbortController();
    response.on('close', () => disconnected.abort());
    const { method = 'GET', headers } = request;
    // The target is not resolved against a base URL, because `//name` would then be treated as a host.
    const url = URL.parse(`http://sandbox${request.url}`);
    const body = await text(request);
    if (!url) return send(response, errorReply(400, 'the request target must be a path'));
    const { pathname: path, search, searchParams: query } = url;
    const upstream = Object.values(upstreams).find(({ prefix }) => `${path}/`.startsWith(`${prefix}/`));
    if (!upstream) return send(response, errorReply(404, 'no upstream has this path'));

    const inner = path.slice(upstream.prefix.length);
    const credentials = headers.authorization ? { authorization: headers.authorization } : {};
    log.record(
      { method, path, query: Object.fromEntries(query), ...credentials, at: clock.now() },
      upstream.prefix + (upstream.endpointOf?.(inner) ?? inner),
    );
    const answer = () => upstream.answer({ method, path: inner, query, headers, body });
    await faults.waitForRelease({ path, search }, disconnected.signal);
    if (disconnected.signal.aborted) return;
    const fault = faults.take({ path, search });
    if (fault) await sendFault(fault, response, answer, disconnected.signal, upstream.rateLimited);
    else send(response, answer());
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (response.destroyed) return;
      if (response.headersSent) response.destroy();
      else send(response, errorReply(500, String(error)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  /** The base URLs. For example, `/coins/markets` is under `coingeckoUrl`. */
  const urls = Object.fromEntries(
    Object.entries(upstreams).map(([name, { prefix }]) => [`${name}Url`, origin + prefix]),
  ) as { [Name in keyof typeof upstreams as `${Name}Url`]: string };
  let closed: Promise<void> | undefined;
  return {
    ...urls,
    /** The chain that the nodes share, with its accounts and faucet. */
    chain,
    calls: log.calls,
    countCalls: log.count,
    clearCalls: log.clear,
    faults: { next: faults.next, always: faults.always, clear: faults.clear, hold: faults.hold },
    /** Closes all connections immediately, including hanging requests. Repeated calls have no effect. */
    close(): Promise<void> {
      closed ??= new Promise((ended) => {
        server.close(() => ended());
        server.closeAllConnections();
      });
      return closed;
    },
  };
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;
