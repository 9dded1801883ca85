import type { Answer } from '../../core/upstream.ts';
import type { Chain } from '../chain.ts';
import { type Condition, readConditions } from '../search-conditions.ts';
import { cosmosResponse, cosmosTransaction } from './cosmos-records.ts';
import { json } from './node-answers.ts';

/** An error with a gRPC code: 2 unknown, 3 bad request, 5 not found, 12 not implemented. */
export const failed = (status: number, code: number, message: string): Answer =>
  json(status, { code, message, details: [] });

/**
 * The parameters of a search by SDK version: `events` up to 0.47 and `query` since 0.50; `pagination.*` up to 0.45,
 * `page` and `limit` since. Answers have logs before 0.50, and the broadcast mode `block` exists before 0.47.
 */
export const VERSIONS = {
  '0.45': { asks: 'events', pages: 'pagination', logs: true, block: true },
  '0.47': { asks: 'events', pages: 'page', logs: true, block: false },
  '0.50': { asks: 'query', pages: 'page', logs: false, block: false },
} as const;

export type SdkVersion = keyof typeof VERSIONS;

/** A whole number of the query, or `fallback` if it is missing; null if it is malformed. */
export function countOf(query: URLSearchParams, name: string, fallback: number): number | null {
  const text = query.get(name) ?? String(fallback);
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function conditionsOf(query: URLSearchParams, asks: 'events' | 'query'): Condition[] | string {
  const texts = query.getAll(asks).filter((text) => text !== '');
  if (texts.length === 0) {
    return asks === 'query' ? 'query cannot be empty' : 'must declare at least one event to search';
  }
  return readConditions(texts.join(' AND ')) ?? `failed to parse query: ${texts.join(' AND ')}`;
}

/** `GET /cosmos/tx/v1beta1/txs`: searches the transactions. */
export function searchCosmos(
  chain: Chain,
  query: URLSearchParams,
  { version, pageSize }: { version: SdkVersion; pageSize: number },
): Answer {
  const { asks, pages, logs } = VERSIONS[version];
  const conditions = conditionsOf(query, asks);
  if (typeof conditions === 'string') return failed(400, 3, conditions);

  const limit = countOf(query, pages === 'page' ? 'limit' : 'pagination.limit', 0);
  const start = countOf(query, pages === 'page' ? 'page' : 'pagination.offset', 0);
  if (limit === null || start === null) return failed(400, 3, 'strconv.ParseUint: parsing: invalid syntax');
  const perPage = Math.min(limit || pageSize, pageSize);
  const page = pages === 'page' ? Math.max(1, start) : Math.floor(start / perPage) + 1;

  const found = chain.search(conditions);
  if (query.get('order_by') === 'ORDER_BY_DESC' || query.get('order_by') === '2') found.reverse();
  const last = Math.max(1, Math.ceil(found.length / perPage));
  if (page > last) return failed(500, 2, `page should be within [1, ${last}] range, given ${page}`);
  const shown = found.slice((page - 1) * perPage, page * perPage);
  const total = String(found.length);
  return json(200, {
    txs: shown.map(({ transaction, sequences }) => cosmosTransaction(transaction, sequences)),
    tx_responses: shown.map((delivered) => cosmosResponse(delivered, logs)),
    ...(pages === 'page' ? { pagination: null, total } : { pagination: { next_key: null, total } }),
  });
}
