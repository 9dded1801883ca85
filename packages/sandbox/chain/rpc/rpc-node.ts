import { parseJson } from '../../../cosmos/parsers.ts';
import { type Answer, jsonReply, textReply, type Upstream } from '../../upstream.ts';
import type { BroadcastMode, Chain } from '../chain.ts';
import { readTxRaw } from '../protobuf.ts';
import { readConditions } from '../search-conditions.ts';
import { hashOf } from '../transaction.ts';
import { QueryError, runQuery } from './abci-queries.ts';
import { blockRecord, blockResults, COMETS, type CometVersion, statusRecord, txRecord } from './rpc-records.ts';

/** An error of a method. Nodes report its reason in `data`. */
class RpcError extends Error {
  readonly code: number;
  readonly title: string;
  constructor(code: number, title: string, reason = '') {
    super(reason);
    this.code = code;
    this.title = title;
  }
}
const internal = (reason: string) => new RpcError(-32603, 'Internal error', reason);
const invalid = (reason: string) => new RpcError(-32602, 'Invalid params', reason);

/** The parameters of a call. Numbers can be strings, bytes are in base64, and the data of a query is in hex. */
type Params = Readonly<Record<string, string | number | boolean | null | undefined>>;
type Method = (params: Params) => unknown;

const DEFAULT_PER_PAGE = 30;
const MAX_PER_PAGE = 100;

function page<Item>(items: readonly Item[], params: Params): Item[] {
  const perPage = Math.min(Number(params.per_page) || DEFAULT_PER_PAGE, MAX_PER_PAGE);
  const pages = Math.max(1, Math.ceil(items.length / perPage));
  const number = Number(params.page ?? 1);
  if (number < 1 || number > pages) throw internal(`page should be within [1, ${pages}] range, given ${number}`);
  return items.slice((number - 1) * perPage, number * perPage);
}

function methodsOf(chain: Chain, version: CometVersion): Readonly<Record<string, Method>> {
  function blockAt({ height }: Params) {
    if (height === undefined || height === null) return chain.latest();
    const of = Number(height);
    if (!(of > 0)) throw internal(`height must be greater than 0, but got ${height}`);
    const found = chain.block(of);
    if (found) return found;
    const latest = chain.latest().height;
    throw internal(`height ${of} must be less than or equal to the current blockchain height ${latest}`);
  }

  function query({ path, data }: Params) {
    const empty = { code: 0, log: '', info: '', index: '0', key: null, value: null, proofOps: null };
    const at = { height: String(chain.latest().height), codespace: '' };
    try {
      const value = runQuery(chain, String(path), Buffer.from(String(data ?? ''), 'hex'));
      return { response: { ...empty, value: Buffer.from(value).toString('base64'), ...at } };
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      return { response: { ...empty, code: error.code, log: error.message, ...at, height: '0', codespace: 'sdk' } };
    }
  }

  const broadcast =
    (mode: BroadcastMode): Method =>
    ({ tx }) => {
      const bytes = Buffer.from(String(tx ?? ''), 'base64');
      const { hash, failure } = chain.broadcast(hashOf(bytes), () => readTxRaw(bytes), mode);
      if (failure?.code === 19) throw internal('tx already exists in cache');
      return { code: failure?.code ?? 0, data: '', log: failure?.message ?? '', codespace: failure ? 'sdk' : '', hash };
    };

  return {
    health: () => ({}),
    status: () => statusRecord(chain, version),
    abci_info: () => ({
      response: {
        data: 'sandbox',
        version: '1.0.0',
        last_block_height: String(chain.latest().height),
        last_block_app_hash: '',
      },
    }),
    abci_query: query,
    num_unconfirmed_txs: () => ({ n_txs: '0', total: '0', total_bytes: '0', txs: null }),
    block: (params) => blockRecord(chain, blockAt(params)),
    block_results: (params) => blockResults(chain, blockAt(params), version),
    ...(version !== '0.34' && {
      header: (params: Params) => ({ header: blockRecord(chain, blockAt(params)).block.header }),
    }),
    tx({ hash }) {
      const hex = Buffer.from(String(hash ?? ''), 'base64')
        .toString('hex')
        .toUpperCase();
      const found = chain.transaction(hex);
      if (!found) throw internal(`tx (${hex}) not found`);
      return txRecord(found, version);
    },
    tx_search(params) {
      const conditions = readConditions(String(params.query ?? ''));
      if (!conditions) throw internal('failed to parse query');
      const found = chain.search(conditions);
      if (params.order_by === 'desc') found.reverse();
      return { txs: page(found, params).map((one) => txRecord(one, version)), total_count: String(found.length) };
    },
    broadcast_tx_sync: broadcast('sync'),
    broadcast_tx_async: broadcast('async'),
  };
}

type Call = { id?: string | number | null; method?: string; params?: Params };

/** The value of a parameter in the URI form: a text in quotes, bytes as 0x and hex digits, or a bare number. */
function uriValue(name: string, text: string): string {
  const hex = /^0x([\da-f]*)$/i.exec(text)?.[1];
  if (hex !== undefined) return name === 'data' ? hex : Buffer.from(hex, 'hex').toString('base64');
  if (name === 'hash' || name === 'tx') throw invalid(`failed to decode ${name}`);
  return text.replace(/^"(.*)"$/s, '$1');
}

/** A node with the JSON-RPC interface of CometBFT, under `/rpc-node`. */
export function createRpcNode(chain: Chain, version: CometVersion = '0.38'): Upstream {
  const methods = methodsOf(chain, version);
  const { maxBatch } = COMETS[version];
  const failed = (id: unknown, { code, title, message }: RpcError) => ({
    jsonrpc: '2.0',
    id,
    error: { code, message: title, ...(message !== '' && { data: message }) },
  });

  function run(id: unknown, name: string, paramsOf: () => Params) {
    try {
      const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
      if (!method) throw new RpcError(-32601, 'Method not found');
      return { jsonrpc: '2.0', id, result: method(paramsOf()) };
    } catch (error) {
      if (error instanceof RpcError) return failed(id, error);
      throw error;
    }
  }

  /** A notification is not executed. */
  const respond = ({ id, method = '', params }: Call) =>
    id === undefined || id === null ? undefined : run(id, method, () => params ?? {});

  function post(body: string): Answer {
    const parsed = parseJson(body) as Call | Call[] | undefined;
    if (parsed === undefined) return jsonReply(500, failed(null, new RpcError(-32700, 'Parse error. Invalid JSON')));
    if (!Array.isArray(parsed)) {
      const response = respond(parsed);
      return response ? jsonReply(200, response) : textReply(200, '');
    }
    if (parsed.length > maxBatch) {
      const reason = `batch request exceeds maximum (${maxBatch}) allowed number of requests`;
      return jsonReply(200, failed(null, new RpcError(-32600, 'Invalid Request', reason)));
    }
    const responses = parsed.map(respond).filter((one) => one !== undefined);
    return responses.length > 0 ? jsonReply(200, responses) : textReply(200, '');
  }

  return {
    prefix: '/rpc-node',
    answer({ method, path, query, body }) {
      if (method === 'POST') {
        const isRoot = path === '' || path === '/' || (version === '1.0' && path === '/v1');
        return isRoot ? post(body) : textReply(404, '404 page not found\n');
      }
      const values = () => Object.fromEntries([...query].map(([name, text]) => [name, uriValue(name, text)]));
      const response = run(-1, path.slice(1), values);
      if (!('error' in response)) return jsonReply(200, response);
      return response.error.code === -32601 ? textReply(404, '404 page not found\n') : jsonReply(500, response);
    },
  };
}
