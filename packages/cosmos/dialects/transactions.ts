import { legacyOutcome, messageCount } from '../conversion/logs.ts';
import { stdTx } from '../conversion/std-tx.ts';
import type { LegacySearch, LegacyTransaction } from '../legacy-shapes.ts';
import { count, isMembers, list, type Members, malformed, members, string, text } from '../parsers.ts';
import { isTransactionHash } from '../transactions.ts';

const LEFT_OUT = new Set(['codespace', 'data', 'info', 'logs', 'tx', 'timestamp', 'events']);

const READERS = new Map<string, (value: unknown, what: string) => unknown>([
  ['raw_log', string],
  ['codespace', string],
  ['timestamp', string],
  ['gas_wanted', count],
  ['gas_used', count],
  ['logs', list],
]);

/** Transactions converted before a pause: that takes a few ms on a page of 4 MB. */
const WITHOUT_PAUSE = 10;
const nextTurn = () => new Promise<void>((turn) => setTimeout(turn, 0));

/** A node's page has 100. */
const MOST_ON_PAGE = 1000;
const isEmpty = (value: unknown) => value === null || value === '' || (Array.isArray(value) && value.length === 0);

function failure(value: unknown): number {
  const code = Number(count(value, 'code'));
  if (!Number.isSafeInteger(code)) throw malformed('code');
  return code;
}

/** Converts to the legacy shape, which omits empty members and a code of 0. */
export function legacyTransaction(value: unknown): LegacyTransaction {
  const { height, txhash, code, ...rest } = members(value, 'transaction');
  const kept = Object.entries(rest)
    .filter(([name, member]) => !(LEFT_OUT.has(name) && isEmpty(member)))
    .map(([name, member]) => [name, READERS.get(name)?.(member, name) ?? member] as const);
  const failed = failure(code);
  const hash = text(txhash, 'txhash');
  if (!isTransactionHash(hash)) throw malformed('txhash');
  return {
    height: count(height, 'height'),
    txhash: hash.toUpperCase(),
    ...(failed !== 0 && { code: failed }),
    ...Object.fromEntries(kept),
  };
}

/** Converts a modern transaction. Some answers have `tx` next to it instead of in it. */
export function modernTransaction(value: unknown, beside?: unknown): LegacyTransaction {
  const { tx, ...response } = members(value, 'transaction');
  const reported = isMembers(tx) ? tx : beside;
  const outcome = legacyOutcome(response, messageCount(reported));
  // An incomplete transaction is passed through.
  const isWhole = isMembers(reported) && isMembers(reported.body) && isMembers(reported.auth_info);
  return legacyTransaction({ ...outcome, tx: isWhole ? stdTx(reported) : reported });
}

/** Throws `NodeFault` unless the transaction has the requested hash. */
export function transactionOf(hash: string, transaction: LegacyTransaction): LegacyTransaction {
  if (transaction.txhash !== hash.toUpperCase()) throw malformed('transaction of that hash');
  return transaction;
}

/** A search result of a legacy node, with the zeros that it omits. */
export function legacySearch(body: Members): LegacySearch {
  if (body.txs === undefined && body.total_count === undefined) throw malformed('txs');
  const txs = list(body.txs, 'txs', MOST_ON_PAGE).map((one) => legacyTransaction(one));
  return {
    total_count: count(body.total_count, 'total_count'),
    count: count(body.count, 'count'),
    page_number: count(body.page_number, 'page_number'),
    page_total: count(body.page_total, 'page_total'),
    limit: count(body.limit, 'limit'),
    txs,
  };
}

/** A search result of a modern node. Before SDK 0.46 the total is in `pagination`; some nodes omit it. */
export async function legacySearchOfModern(body: Members, page: number, limit: number): Promise<LegacySearch> {
  if (body.tx_responses === undefined) throw malformed('tx_responses');
  const txs = list(body.txs, 'txs');
  const responses = list(body.tx_responses, 'tx_responses', MOST_ON_PAGE);
  const found: LegacyTransaction[] = [];
  for (const [i, one] of responses.entries()) {
    if (i > 0 && i % WITHOUT_PAUSE === 0) await nextTurn();
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
