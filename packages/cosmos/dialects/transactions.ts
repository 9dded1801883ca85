import { legacyOutcome, messageCount } from '../conversion/logs.ts';
import { stdTx } from '../conversion/std-tx.ts';
import type { LegacySearch, LegacyTransaction } from '../legacy-shapes.ts';
import { count, isMembers, list, type Members, malformed, members, string, text } from '../parsers.ts';
import { isTransactionHash } from '../transactions.ts';

/** What the legacy interface leaves out when it is empty, and the modern one does not. */
const LEFT_OUT = new Set(['codespace', 'data', 'info', 'logs', 'tx', 'timestamp', 'events']);

/** What is told of the members that the legacy shape names. */
const READERS = new Map<string, (value: unknown, what: string) => unknown>([
  ['raw_log', string],
  ['codespace', string],
  ['timestamp', string],
  ['gas_wanted', count],
  ['gas_used', count],
  ['logs', list],
]);

/** So many are put into the legacy shape at a time, which takes a few ms where a page has 4 MB; then others have a turn. */
const WITHOUT_PAUSE = 10;
const nextTurn = () => new Promise<void>((turn) => setTimeout(turn, 0));

/** A node gives a hundred to a page; more than this are not gone through. */
const MOST_ON_PAGE = 1000;

const isEmpty = (value: unknown) => value === null || value === '' || (Array.isArray(value) && value.length === 0);

function failure(value: unknown): number {
  const code = Number(count(value, 'code'));
  if (!Number.isSafeInteger(code)) throw malformed('code');
  return code;
}

/** A transaction of the legacy interface, which leaves out an empty member, and a code of 0. */
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

/** A transaction of the modern interface as the legacy one has it; `beside` is its `tx` beside the answer. */
export function modernTransaction(value: unknown, beside?: unknown): LegacyTransaction {
  const { tx, ...response } = members(value, 'transaction');
  const told = isMembers(tx) ? tx : beside;
  const outcome = legacyOutcome(response, messageCount(told));
  // What lacks one of them is no transaction, and stays what it is.
  const isWhole = isMembers(told) && isMembers(told.body) && isMembers(told.auth_info);
  return legacyTransaction({ ...outcome, tx: isWhole ? stdTx(told) : told });
}

/** The transaction that was looked up, and no other. */
export function transactionOf(hash: string, transaction: LegacyTransaction): LegacyTransaction {
  if (transaction.txhash !== hash.toUpperCase()) throw malformed('transaction of that hash');
  return transaction;
}

/** A page of a search from a legacy node: zeros that it left out are filled in. */
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

/** The same from a modern node. The total is in `pagination` before SDK 0.46, and left out by some nodes. */
export async function legacySearchOfModern(body: Members, page: number, limit: number): Promise<LegacySearch> {
  if (body.tx_responses === undefined) throw malformed('tx_responses');
  const txs = list(body.txs, 'txs');
  const responses = list(body.tx_responses, 'tx_responses', MOST_ON_PAGE);
  const found: LegacyTransaction[] = [];
  for (const [i, one] of responses.entries()) {
    if (i > 0 && i % WITHOUT_PAUSE === 0) await nextTurn();
    found.push(modernTransaction(one, txs[i]));
  }
  const told = body.total ?? (body.pagination as Members | null | undefined)?.total;
  const total = Math.max(Number(count(told, 'total')), found.length && (page - 1) * limit + found.length);
  return {
    total_count: String(total),
    count: String(found.length),
    page_number: String(page),
    page_total: String(Math.ceil(total / limit)),
    limit: String(limit),
    txs: found,
  };
}
