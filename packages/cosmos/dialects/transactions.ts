import { legacyOutcome, messageCount } from '../conversion/logs.ts';
import { stdTx } from '../conversion/std-tx.ts';
import type { LegacySearch, LegacyTransaction } from '../legacy-shapes.ts';
import { count, isMembers, list, type Members, malformed, members, string, text } from '../parsers.ts';
import { isTransactionHash } from '../transactions.ts';

const OMITTED_IF_EMPTY = new Set(['codespace', 'data', 'info', 'logs', 'tx', 'timestamp', 'events']);

const READERS = new Map<string, (value: unknown, what: string) => unknown>([
  ['raw_log', string],
  ['codespace', string],
  ['timestamp', string],
  ['gas_wanted', count],
  ['gas_used', count],
  ['logs', list],
]);

/** The number of transactions that are converted between two pauses: a few ms of work for a page of 4 MB. */
const PAUSE_EVERY = 10;
const nextTurn = () => new Promise<void>((turn) => setTimeout(turn, 0));

/** Nodes return at most 100 transactions per page. */
const MAX_PER_PAGE = 1000;
const isEmpty = (value: unknown) => value === null || value === '' || (Array.isArray(value) && value.length === 0);

function codeOf(value: unknown): number {
  const code = Number(count(value, 'code'));
  if (!Number.isSafeInteger(code)) throw malformed('code');
  return code;
}

/** Converts a transaction to the legacy shape, which omits empty members and a code of 0. */
export function legacyTransaction(value: unknown): LegacyTransaction {
  const { height, txhash, code, ...rest } = members(value, 'transaction');
  const kept = Object.entries(rest)
    .filter(([name, member]) => !(OMITTED_IF_EMPTY.has(name) && isEmpty(member)))
    .map(([name, member]) => [name, READERS.get(name)?.(member, name) ?? member] as const);
  const failed = codeOf(code);
  const hash = text(txhash, 'txhash');
  if (!isTransactionHash(hash)) throw malformed('txhash');
  return {
    height: count(height, 'height'),
    txhash: hash.toUpperCase(),
    ...(failed !== 0 && { code: failed }),
    ...Object.fromEntries(kept),
  };
}

/** Converts a modern transaction. Some responses contain `tx` next to the transaction instead of in it. */
export function modernTransaction(value: unknown, separateTx?: unknown): LegacyTransaction {
  const { tx, ...response } = members(value, 'transaction');
  const reported = isMembers(tx) ? tx : separateTx;
  const outcome = legacyOutcome(response, messageCount(reported));
  // An incomplete transaction is returned unchanged.
  const isComplete = isMembers(reported) && isMembers(reported.body) && isMembers(reported.auth_info);
  return legacyTransaction({ ...outcome, tx: isComplete ? stdTx(reported) : reported });
}

/** Throws `NodeFault` unless the transaction has the requested hash. */
export function transactionOf(hash: string, transaction: LegacyTransaction): LegacyTransaction {
  if (transaction.txhash !== hash.toUpperCase()) throw malformed('transaction with the requested hash');
  return transaction;
}

/** Converts a legacy node's search result. Adds the zeros that the node omits. */
export function legacySearch(body: Members): LegacySearch {
  if (body.txs === undefined && body.total_count === undefined) throw malformed('txs');
  const txs = list(body.txs, 'txs', MAX_PER_PAGE).map((one) => legacyTransaction(one));
  return {
    total_count: count(body.total_count, 'total_count'),
    count: count(body.count, 'count'),
    page_number: count(body.page_number, 'page_number'),
    page_total: count(body.page_total, 'page_total'),
    limit: count(body.limit, 'limit'),
    txs,
  };
}

/** Converts a modern node's search result. Before SDK 0.46, the total is in `pagination`. Some nodes omit the total. */
export async function modernSearch(body: Members, page: number, limit: number): Promise<LegacySearch> {
  if (body.tx_responses === undefined) throw malformed('tx_responses');
  const txs = list(body.txs, 'txs');
  const responses = list(body.tx_responses, 'tx_responses', MAX_PER_PAGE);
  const found: LegacyTransaction[] = [];
  for (const [i, one] of responses.entries()) {
    if (i > 0 && i % PAUSE_EVERY === 0) await nextTurn();
    found.push(modernTransaction(one, txs[i]));
  }
  const reported = body.total ?? (body.pagination as Members | null | undefined)?.total;
  const total = Math.max(Number(count(reported, 'total')), found.length && (page - 1) * limit + found.length);
  return {
    total_count: String(total),
    count: String(found.length),
    page_number: String(page),
    page_total: String(Math.ceil(total / limit)),
    limit: String(limit),
    txs: found,
  };
}
