import { lowerCaseAddressesIn } from './conversion/bech32.ts';
import { NodeRejection, type Pairs } from './exchange.ts';

/*
 * Parses searches from the parameters of either dialect, and writes them as the parameters of either dialect:
 *
 * - Legacy: an attribute of an event and its value, such as `message.sender=kava1…` or `tx.minheight=5`.
 * - Modern: conditions such as `message.sender='kava1…' AND tx.height>=5`. They are in
 *   `query` from SDK 0.50 on, and in `events` before.
 */

export type Search = {
  /** Attributes and values, with the names of the legacy interface. */
  attributes: Pairs;
  /** Conditions in the syntax of the modern interface. */
  conditions: readonly string[];
  page: number;
  limit: number;
  order: string | undefined;
};

const DEFAULT_LIMIT = 30;
/** The maximum page size of the chain's RPC. */
const MAX_LIMIT = 100;

const ATTRIBUTE = /^[A-Za-z_][\w-]*(\.[A-Za-z_][\w-]*)+$/;
const HEIGHTS: Readonly<Record<string, string>> = {
  'tx.height': 'tx.height=',
  'tx.minheight': 'tx.height>=',
  'tx.maxheight': 'tx.height<=',
};

const rejection = (message: string, parameter?: string) => new NodeRejection(400, message, { parameter });

function whole(name: string, value: string | undefined, min: number): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value) || Number(value) < min) throw rejection(`must be an integer of at least ${min}`, name);
  return Number(value);
}

function checkAttribute(name: string, value: string): void {
  if (!ATTRIBUTE.test(name)) throw rejection('use an attribute name like message.sender');
  if (HEIGHTS[name]) {
    // Some clients send 9007199254740991 for an open range.
    if (!/^\d{1,18}$/.test(value)) throw rejection('must be an integer of at least 0', name);
    return;
  }
  // The chain's query language cannot escape a quote in a value.
  if (value === '' || /['"\p{Cc}]/u.test(value)) {
    throw rejection('a value must not be empty or contain quotes or control characters');
  }
}

/** Splits at AND outside quotes. The pattern has no lookahead, because a query may be 8 KB of arbitrary text. */
function conditionsIn(query: string): string[] {
  const found = [''];
  for (const [place, part] of query.split("'").entries()) {
    const text = place === 0 ? part : `'${part}`;
    const isQuoted = place % 2 === 1;
    const [first = '', ...next] = isQuoted ? [text] : text.split(/\sAND\s/i);
    found[found.length - 1] += first;
    found.push(...next);
  }
  return found.map((one) => one.trim());
}

/** Throws `NodeRejection` (400) for a search that every node rejects. */
export function readSearch(query: Pairs): Search {
  const valueByAttribute = new Map<string, string>();
  const attributes: (readonly [string, string])[] = [];
  const conditions: string[] = [];
  for (const [name, given] of query) {
    const value = lowerCaseAddressesIn(given);
    if (name === 'events') conditions.push(value.trim());
    else if (name === 'query') conditions.push(...conditionsIn(value));
    else if (/^(page|limit|order_by|pagination\..*)$/.test(name)) valueByAttribute.set(name, value);
    else if (name.includes('.')) {
      checkAttribute(name, value);
      attributes.push([name, value]);
    }
  }
  const nonEmpty = conditions.filter((condition) => condition !== '');
  if (attributes.length + nonEmpty.length === 0) {
    throw rejection('a search must have at least one condition, like message.sender');
  }

  const of = (name: string, min: number) => whole(name, valueByAttribute.get(name), min);
  const limit = Math.min(MAX_LIMIT, of('limit', 1) ?? (of('pagination.limit', 0) || DEFAULT_LIMIT));
  const offset = of('pagination.offset', 0) ?? 0;
  const order = valueByAttribute.get('order_by');
  if (order !== undefined && !/^(ORDER_BY_(UNSPECIFIED|ASC|DESC)|[012])$/.test(order)) {
    throw rejection('must be ORDER_BY_ASC or ORDER_BY_DESC', 'order_by');
  }
  return { attributes, conditions: nonEmpty, page: of('page', 1) ?? Math.floor(offset / limit) + 1, limit, order };
}

/** Writes the page in the parameters of all SDK versions at once, so that every node understands one of them. */
export function modernParameters(search: Search, conditionsIn: 'query' | 'events'): Pairs {
  const { attributes, page, limit, order } = search;
  const written = attributes.map(([name, value]) =>
    HEIGHTS[name] ? `${HEIGHTS[name]}${BigInt(value)}` : `${name}='${value}'`,
  );
  const conditions = [...written, ...search.conditions];
  const parameters: Pairs =
    conditionsIn === 'query'
      ? [['query', conditions.join(' AND ')]]
      : conditions.map((condition) => ['events', condition] as const);
  return [
    ...parameters,
    ['page', String(page)],
    ['limit', String(limit)],
    ['pagination.offset', String((page - 1) * limit)],
    ['pagination.limit', String(limit)],
    ...(order === undefined ? [] : [['order_by', order] as const]),
  ];
}

const EQUALITY = /^([\w.-]+)\s*=\s*(?:'([^'"]*)'|(\d+))$/;

/** Escapes values twice, as legacy nodes decode them. Throws `NodeRejection` (422) for operators other than `=`. */
export function legacyParameters({ attributes, conditions, page, limit }: Search): Pairs {
  const written = conditions.map((condition) => {
    const [, name = '', quoted, digits] = EQUALITY.exec(condition) ?? [];
    if (!ATTRIBUTE.test(name)) {
      throw new NodeRejection(422, "this node accepts only conditions like message.sender='…'");
    }
    return [name, quoted ?? digits ?? ''] as const;
  });
  const escaped = [...attributes, ...written].map(
    ([name, value]) => [name, value.replaceAll('%', '%25').replaceAll('+', '%2B')] as const,
  );
  return [...escaped, ['page', String(page)], ['limit', String(limit)]];
}
