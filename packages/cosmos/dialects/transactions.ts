import { stdTx } from '../conversion/std-tx.ts';
import type { LegacySearch, LegacyTransaction } from '../legacy-shapes.ts';
import {
  count,
  createElementReader,
  isMembers,
  list,
  type Members,
  malformed,
  members,
  optionalPart,
  type ReportOmitted,
  readableElements,
  string,
  text,
} from '../parsers.ts';
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

/** The number of transactions converted between two pauses. On a page of 4 MB, this takes a few ms. */
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

/** Returns undefined for a malformed member, such as a `gas_wanted` of -1. */
function readMember(name: string, member: unknown): unknown {
  const read = READERS.get(name);
  return read ? optionalPart(() => read(member, name)) : member;
}

/** Converts a transaction to the legacy shape, which omits empty members and a code of 0. Omits malformed members. */
export function legacyTransaction(value: unknown): LegacyTransaction {
  const { height, txhash, code, ...rest } = members(value, 'transaction');
  const kept = Object.entries(rest)
    .filter(([name, member]) => !(OMITTED_IF_EMPTY.has(name) && isEmpty(member)))
    .map(([name, member]) => [name, readMember(name, member)] as const)
    .filter(([, member]) => member !== undefined);
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

type LegacyEvent = { type: string; attributes: { key: string; value?: string }[] };
type LegacyLog = { msg_index: number; success: true; log: string; events: LegacyEvent[] };

const MAX_ELEMENTS = 100_000;

function attributesOf(value: unknown): LegacyEvent['attributes'] {
  return list(value, 'attributes', MAX_ELEMENTS).map((one) => {
    const { key, value: reported } = members(one, 'attribute');
    return { key: string(key ?? '', 'key'), value: string(reported ?? '', 'value') };
  });
}
const eventsOf = (value: unknown): LegacyEvent[] =>
  list(value, 'events', MAX_ELEMENTS).map((one) => {
    const { type, attributes } = members(one, 'event');
    return { type: text(type, 'type of an event'), attributes: attributesOf(attributes) };
  });

/** Merges the events of each type and sorts them by type, as nodes do in their logs. */
function groupByType(events: readonly LegacyEvent[]): LegacyEvent[] {
  const byType = new Map<string, LegacyEvent['attributes']>();
  for (const { type, attributes } of events) {
    const before = byType.get(type);
    if (before) for (const attribute of attributes) before.push(attribute);
    else byType.set(type, [...attributes]);
  }
  return [...byType].map(([type, attributes]) => ({ type, attributes })).sort((a, b) => (a.type < b.type ? -1 : 1));
}

const log = (msg_index: number, events: LegacyEvent[], reported = ''): LegacyLog => ({
  msg_index,
  success: true,
  log: reported,
  events,
});

/** Converts the logs that nodes reported before SDK 0.50. */
const reportedLogs = (logs: readonly unknown[]): LegacyLog[] =>
  logs.map((one) => {
    const { msg_index, log: reported, events } = members(one, 'log');
    return log(Number(count(msg_index, 'msg_index', 9)), eventsOf(events), string(reported ?? '', 'log'));
  });

/** Since SDK 0.50, events contain `msg_index`. Fee and signature events do not, and were never part of the logs. */
function logsOfEvents(events: readonly LegacyEvent[], messages: number): LegacyLog[] {
  const byMessage: LegacyEvent[][] = Array.from({ length: messages }, () => []);
  for (const { type, attributes } of events) {
    const index = attributes.find(({ key }) => key === 'msg_index')?.value;
    byMessage[Number(index ?? Number.NaN)]?.push({
      type,
      attributes: attributes.filter(({ key }) => key !== 'msg_index'),
    });
  }
  return byMessage.map((own, i) => log(i, groupByType(own)));
}

/** The outcome of a transaction in the legacy shape, with one log for each of its `messages`. */
function legacyOutcome(response: Members, messages: number): Members {
  const { logs, raw_log, events, code, height, ...rest } = response;
  const isExecuted = count(code, 'code') === '0' && count(height, 'height') !== '0';
  const kept = { height, ...(code !== undefined && { code }), ...rest };
  const reported = optionalPart(() => list(logs, 'logs', MAX_ELEMENTS)) ?? [];
  const raw = typeof raw_log === 'string' ? raw_log : '';
  if (!isExecuted && reported.length === 0) return { ...kept, raw_log: raw };
  const found = optionalPart(() =>
    reported.length > 0 ? reportedLogs(reported) : logsOfEvents(eventsOf(events), messages),
  );
  if (found === undefined || found.length === 0) return { ...kept, raw_log: raw };
  return {
    ...kept,
    raw_log: raw === '' ? JSON.stringify(found) : raw,
    logs: found,
    events: groupByType(found.flatMap((one) => one.events)),
  };
}

function messageCount(tx: unknown): number {
  const body = isMembers(tx) ? tx.body : undefined;
  const messages = isMembers(body) ? body.messages : undefined;
  if (Array.isArray(messages) && messages.length > MAX_ELEMENTS) throw malformed('messages');
  return Array.isArray(messages) ? messages.length : 0;
}

/** Converts a modern transaction. In some responses, `tx` is next to the transaction instead of within it. */
export function modernTransaction(value: unknown, separateTx?: unknown): LegacyTransaction {
  const { tx, ...response } = members(value, 'transaction');
  const reported = isMembers(tx) ? tx : separateTx;
  const outcome = legacyOutcome(response, messageCount(reported));
  // A transaction that is incomplete or cannot be converted is returned unchanged.
  const isComplete = isMembers(reported) && isMembers(reported.body) && isMembers(reported.auth_info);
  const converted = isComplete ? optionalPart(() => stdTx(reported)) : undefined;
  return legacyTransaction({ ...outcome, tx: converted ?? reported });
}

/** Throws `NodeFault` unless the transaction has the requested hash. */
export function transactionOf(hash: string, transaction: LegacyTransaction): LegacyTransaction {
  if (transaction.txhash !== hash.toUpperCase()) throw malformed('transaction with the requested hash');
  return transaction;
}

/** Converts a legacy node's search result. Adds the zeros that the node omits. Omits malformed transactions. */
export function legacySearch(body: Members, report?: ReportOmitted): LegacySearch {
  if (body.txs === undefined && body.total_count === undefined) throw malformed('txs');
  const txs = readableElements(list(body.txs, 'txs', MAX_PER_PAGE), legacyTransaction, report);
  return {
    total_count: count(body.total_count, 'total_count'),
    count: String(txs.length),
    page_number: count(body.page_number, 'page_number'),
    page_total: count(body.page_total, 'page_total'),
    limit: count(body.limit, 'limit'),
    txs,
  };
}

/** Converts a modern node's search result. Some nodes omit the total. Omits malformed transactions. */
export async function modernSearch(
  body: Members,
  { page, limit }: { page: number; limit: number },
  report?: ReportOmitted,
): Promise<LegacySearch> {
  if (body.tx_responses === undefined) throw malformed('tx_responses');
  const txs = optionalPart(() => list(body.txs, 'txs')) ?? [];
  const responses = list(body.tx_responses, 'tx_responses', MAX_PER_PAGE);
  const reader = createElementReader<LegacyTransaction>(report);
  for (const [i, one] of responses.entries()) {
    if (i > 0 && i % PAUSE_EVERY === 0) await nextTurn();
    reader.add(() => modernTransaction(one, txs[i]));
  }
  const found = reader.end();
  const reported = body.total ?? (isMembers(body.pagination) ? body.pagination.total : undefined);
  const stated = Number(optionalPart(() => count(reported, 'total')) ?? 0);
  const total = Math.max(stated, responses.length && (page - 1) * limit + responses.length);
  return {
    total_count: String(total),
    count: String(found.length),
    page_number: String(page),
    page_total: String(Math.ceil(total / limit)),
    limit: String(limit),
    txs: found,
  };
}
