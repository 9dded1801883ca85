import { z } from 'zod';
import { parseJson } from '../../cosmos/parsers.ts';
import { type Answer, type Clock, routed, type Upstream, type UpstreamRequest } from '../upstream.ts';
import { readStdTx } from './amino.ts';
import type { BroadcastResult, Chain } from './chain.ts';
import { addressError } from './keys.ts';
import {
  ACTIONS,
  blockAt,
  blockHeader,
  blockId,
  json,
  keyRecord,
  legacyTransaction,
  outcome,
} from './legacy-records.ts';
import type { Condition } from './search-conditions.ts';
import { coinRecord, hashOf, type Transaction } from './transaction.ts';

const PAGE_LIMIT = 100;
const DEFAULT_LIMIT = 30;
const failed = (status: number, error: string): Answer => json(status, { error });

const notFound: Answer = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: '404 page not found\n',
};

function account(chain: Chain, address: string): unknown {
  const account = chain.account(address);
  // Legacy nodes return an empty account for an unknown address.
  const value = {
    address: account ? address : '',
    coins: chain.balances(address).map(coinRecord),
    public_key: account?.publicKey ? keyRecord(account.publicKey) : null,
    account_number: String(account?.number ?? 0),
    sequence: String(account?.sequence ?? 0),
  };
  return { type: 'cosmos-sdk/Account', value };
}

function conditionOf([key, value]: readonly [string, string]): Condition {
  if (key === 'tx.minheight') return { key: 'tx.height', operator: '>=', value };
  if (key === 'tx.maxheight') return { key: 'tx.height', operator: '<=', value };
  return { key, operator: '=', value: key === 'message.action' ? (ACTIONS.get(value) ?? value) : value };
}

function search(chain: Chain, query: URLSearchParams): Answer {
  const page = Number(query.get('page') ?? 1);
  const limit = Number(query.get('limit') ?? DEFAULT_LIMIT);
  // The legacy interface decodes values twice.
  const events = [...query]
    .filter(([key]) => key !== 'page' && key !== 'limit')
    .map(([key, text]) => [key, decodeURIComponent(text.replaceAll('+', ' '))] as const);
  const found = chain.search(events.map(conditionOf));
  const perPage = Math.min(limit, PAGE_LIMIT);
  const pages = Math.ceil(found.length / perPage);
  if (page > Math.max(1, pages)) {
    return failed(500, `page should be within [1, ${Math.max(1, pages)}] range, given ${page}`);
  }
  const shown = found.slice((page - 1) * perPage, page * perPage);
  return json(200, {
    total_count: String(found.length),
    count: String(shown.length),
    page_number: String(page),
    page_total: String(pages),
    limit: String(perPage),
    txs: shown.map(legacyTransaction),
  });
}

function transaction(chain: Chain, hash: string): Answer {
  const found = chain.transaction(hash);
  if (found) return json(200, legacyTransaction(found));
  return failed(404, `Tx: RPC error -32603 - Internal error: tx (${hash}) not found`);
}

function broadcastAnswer({ hash, failure, delivered }: BroadcastResult): Answer {
  const txhash = hash;
  // The mempool rejects duplicates without a log.
  if (failure?.code === 19) return json(200, { height: '0', txhash, codespace: 'sdk', code: 19 });
  if (failure) return json(200, { height: '0', txhash, ...outcome({ failure, messageEvents: [] }) });
  if (!delivered) return json(200, { height: '0', txhash, raw_log: '[]', logs: [] });
  const { height, gasUsed, transaction } = delivered;
  const gas = { gas_wanted: String(transaction.gas), gas_used: String(gasUsed) };
  return json(200, { height: String(height), txhash, ...outcome(delivered), ...gas });
}

const broadcastSchema = z.object({ tx: z.unknown().optional(), mode: z.enum(['sync', 'async', 'block']) });

function broadcast(chain: Chain, text: string): Answer {
  const body = broadcastSchema.safeParse(parseJson(text));
  if (!body.success) return failed(400, 'failed to decode the request body');
  let transaction: Transaction;
  try {
    transaction = readStdTx(body.data.tx ?? {});
  } catch {
    return failed(400, 'JSON encoding of a StdTx expected');
  }
  return broadcastAnswer(chain.broadcast(hashOf(transaction.bytes), () => transaction, body.data.mode));
}

function block(chain: Chain, of: string): Answer {
  const latest = blockAt(chain, of);
  if (!latest) return failed(404, 'requested block height is bigger then the chain length');
  const id = (block: number) => ({
    hash: blockId(chain, block).toString('hex').toUpperCase(),
    parts: { total: '1', hash: blockId(chain, -block).toString('hex').toUpperCase() },
  });
  const header = { ...blockHeader(chain, latest, '10'), last_block_id: id(latest.height - 1) };
  return json(200, {
    block_id: id(latest.height),
    block: { header, data: { txs: null }, evidence: { evidence: null }, last_commit: null },
  });
}

const nodeInfo = (chain: Chain): Answer =>
  json(200, {
    node_info: { network: chain.chainId, version: '0.33.9', moniker: 'sandbox' },
    application_version: { name: 'sandbox', server_name: 'sandboxd', version: '0.39.3' },
  });

/** A node with the legacy REST interface, under `/legacy-node`. The shapes match recorded responses. */
export function createLegacyNode(chain: Chain, clock: Clock): Upstream {
  const ofAddress = (result: (address: string) => unknown) => (_request: unknown, address: string) => {
    const { height } = chain.latest();
    const fault = addressError(address);
    return fault ? failed(400, fault) : json(200, { height: String(height), result: result(address) });
  };
  const routes = {
    'GET /node_info': () => nodeInfo(chain),
    'GET /blocks/latest': () => block(chain, 'latest'),
    'GET /blocks/{height}': (_request: unknown, height: string) => block(chain, height),
    'GET /txs': ({ query }: UpstreamRequest) => search(chain, query),
    'POST /txs': ({ body }: UpstreamRequest) => broadcast(chain, body),
    'GET /txs/{id}': (_request: unknown, hash: string) => transaction(chain, hash),
    'GET /bank/balances/{id}': ofAddress((address) => chain.balances(address).map(coinRecord)),
    'GET /auth/accounts/{id}': ofAddress((address) => account(chain, address)),
  };
  return routed('/legacy-node', clock, routes, () => notFound);
}
