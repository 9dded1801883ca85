import { z } from 'zod';
import { parseJson } from '../../cosmos/parsers.ts';
import { type Answer, type Clock, routed, type Upstream, type UpstreamRequest } from '../upstream.ts';
import type { BroadcastMode, Chain } from './chain.ts';
import {
  broadcastResponse,
  cosmosResponse,
  cosmosTransaction,
  countOf,
  failed,
  indexed,
  keyRecord,
  PAGE_SIZE,
  searchCosmos,
} from './cosmos-records.ts';
import { addressError } from './keys.ts';
import { blockAt, blockHeader, blockId, json } from './legacy-records.ts';
import { readTxRaw } from './protobuf.ts';
import { coinRecord, hashOf, TransactionError } from './transaction.ts';

const notImplemented = failed(501, 12, 'Not Implemented');

function account(chain: Chain, address: string): Answer {
  const account = chain.account(address);
  if (!account) return failed(404, 5, `rpc error: code = NotFound desc = account ${address} not found: key not found`);
  const base = {
    '@type': '/cosmos.auth.v1beta1.BaseAccount',
    address,
    pub_key: account.publicKey && keyRecord(account.publicKey),
    account_number: String(account.number),
    sequence: String(account.sequence),
  };
  return json(200, { account: base });
}

/** A page starts at the denom in `pagination.key` (base64), or at `pagination.offset`. */
function balances(chain: Chain, address: string, query: URLSearchParams): Answer {
  const coins = chain.balances(address);
  const limit = countOf(query, 'pagination.limit', 0);
  const offset = countOf(query, 'pagination.offset', 0);
  if (limit === null || offset === null) return failed(400, 3, 'strconv.ParseUint: parsing: invalid syntax');
  const key = Buffer.from(query.get('pagination.key') ?? '', 'base64').toString();
  const start = key ? coins.findIndex(({ denom }) => denom >= key) : offset;
  const first = start < 0 ? coins.length : start;
  const shown = coins.slice(first, first + Math.min(limit || PAGE_SIZE, PAGE_SIZE));
  const next = coins[first + shown.length];
  return json(200, {
    balances: shown.map(coinRecord),
    pagination: {
      next_key: next ? Buffer.from(next.denom).toString('base64') : null,
      total: query.get('pagination.count_total') === 'true' ? String(coins.length) : '0',
    },
  });
}

const broadcastSchema = z.preprocess(
  // The JSON names of protobuf fields are in camel case.
  (body) => ({ tx_bytes: (body as { txBytes?: unknown }).txBytes, ...(body as object) }),
  z.object({ tx_bytes: z.base64().min(1), mode: z.string() }),
);

const MODES: Partial<Record<string, BroadcastMode>> = { BROADCAST_MODE_SYNC: 'sync', BROADCAST_MODE_ASYNC: 'async' };

function broadcast(chain: Chain, text: string): Answer {
  const body = parseJson(text);
  if (body === undefined) return failed(400, 3, 'invalid character in the request body');
  const request = broadcastSchema.safeParse(body);
  if (!request.success) {
    const isBytes = request.error.issues[0]?.path[0] === 'tx_bytes';
    return failed(400, 3, isBytes ? 'invalid empty tx, or illegal base64 data' : 'no broadcast mode');
  }
  const mode = MODES[request.data.mode];
  if (!mode) return failed(500, 2, 'unsupported return type unspecified; supported types: sync, async');
  const bytes = Buffer.from(request.data.tx_bytes, 'base64');
  const { hash, failure } = chain.broadcast(hashOf(bytes), () => readTxRaw(bytes), mode);
  return json(200, { tx_response: broadcastResponse(hash, failure) });
}

function block(chain: Chain, of: string): Answer {
  const latest = blockAt(chain, of);
  if (!latest) return failed(400, 3, 'requested block height is bigger then the chain length');
  const id = (block: number) => ({
    hash: blockId(chain, block).toString('base64'),
    part_set_header: { total: 1, hash: blockId(chain, -block).toString('base64') },
  });
  const header = { ...blockHeader(chain, latest, '11'), last_block_id: id(latest.height - 1) };
  const block = { header, data: { txs: [] }, evidence: { evidence: [] }, last_commit: null };
  return json(200, { block_id: id(latest.height), block, sdk_block: block });
}

/** As in x/auth/tx, a panic or a failed message returns status 500 with code 2. */
function simulation(chain: Chain, text: string): Answer {
  const { tx_bytes, txBytes } = (parseJson(text) ?? {}) as { tx_bytes?: string; txBytes?: string };
  try {
    const { gasUsed, events } = chain.simulate(() => readTxRaw(Buffer.from(tx_bytes ?? txBytes ?? '', 'base64'), true));
    const result = { data: '', log: '', events: events.map((event) => indexed(event)), msg_responses: [] };
    return json(200, { gas_info: { gas_wanted: '0', gas_used: String(gasUsed) }, result });
  } catch (error) {
    if (error instanceof TransactionError) return failed(500, 2, error.message);
    throw error;
  }
}

/** The parameters of x/staking. */
export const STAKING = { unbondingSeconds: 1_814_400, maxValidators: 180, maxEntries: 7, historicalEntries: 10_000 };

const stakingParams = (chain: Chain): Answer =>
  json(200, {
    params: {
      unbonding_time: `${STAKING.unbondingSeconds}s`,
      max_validators: STAKING.maxValidators,
      max_entries: STAKING.maxEntries,
      historical_entries: STAKING.historicalEntries,
      bond_denom: chain.denom,
      min_commission_rate: '0.000000000000000000',
    },
  });

const nodeInfo = (chain: Chain): Answer =>
  json(200, {
    default_node_info: { network: chain.chainId, version: '0.38.0', moniker: 'sandbox' },
    application_version: { name: 'sandbox', app_name: 'sandboxd', cosmos_sdk_version: 'v0.50.0' },
  });

function transaction(chain: Chain, hash: string): Answer {
  const found = chain.transaction(hash);
  if (!found) return failed(404, 5, `rpc error: code = NotFound desc = tx not found: ${hash}: key not found`);
  return json(200, {
    tx: cosmosTransaction(found.transaction, found.sequences),
    tx_response: cosmosResponse(found, false),
  });
}

/** A node with SDK 0.50 and the modern REST interface, under `/cosmos-node`. */
export function createCosmosNode(chain: Chain, clock: Clock): Upstream {
  const ofAddress =
    (answer: (address: string, query: URLSearchParams) => Answer) =>
    ({ query }: UpstreamRequest, address: string): Answer => {
      const { height } = chain.latest();
      const fault = addressError(address);
      const { headers, ...rest } = fault ? failed(400, 3, fault) : answer(address, query);
      return { ...rest, headers: { ...headers, 'grpc-metadata-x-cosmos-block-height': String(height) } };
    };
  const blocks = '/cosmos/base/tendermint/v1beta1/blocks';
  const txs = '/cosmos/tx/v1beta1/txs';
  const routes = {
    'GET /cosmos/base/tendermint/v1beta1/node_info': () => nodeInfo(chain),
    [`GET ${blocks}/latest`]: () => block(chain, 'latest'),
    [`GET ${blocks}/{height}`]: (_request: unknown, height: string) => block(chain, height),
    [`GET ${txs}`]: ({ query }: UpstreamRequest) => searchCosmos(chain, query),
    [`POST ${txs}`]: ({ body }: UpstreamRequest) => broadcast(chain, body),
    'POST /cosmos/tx/v1beta1/simulate': ({ body }: UpstreamRequest) => simulation(chain, body),
    'GET /cosmos/staking/v1beta1/params': () => stakingParams(chain),
    [`GET ${txs}/{id}`]: (_request: unknown, hash: string) => transaction(chain, hash),
    'GET /cosmos/bank/v1beta1/balances/{id}': ofAddress((address, query) => balances(chain, address, query)),
    'GET /cosmos/auth/v1beta1/accounts/{id}': ofAddress((address) => account(chain, address)),
  };
  return routed('/cosmos-node', clock, routes, () => notImplemented);
}
