import { NodeFault } from './exchange.ts';
import type { Coin } from './legacy-shapes.ts';

/* Parsers for nodes' responses. Each parser throws a `NodeFault` (`malformed`) that names the invalid member. */

export type Members = Readonly<Record<string, unknown>>;

export const malformed = (what: string) => new NodeFault('malformed', `the node's response has no valid ${what}`);

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function members(value: unknown, what: string): Members {
  if (!isMembers(value)) throw malformed(what);
  return value;
}

/** Returns undefined for invalid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads a part that a response can lack. Returns undefined if the part is malformed, so that the rest is returned. */
export function optionalPart<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof NodeFault && error.kind === 'malformed') return undefined;
    throw error;
  }
}

/** Receives the number of malformed elements that were omitted from a list. */
export type ReportOmitted = (count: number) => void;

/** Collects the elements of a list that can be read. */
export function createElementReader<T>(report: ReportOmitted | undefined) {
  const found: T[] = [];
  let omitted = 0;
  let fault: unknown;
  return {
    add(read: () => T): void {
      try {
        found.push(read());
      } catch (error) {
        if (!(error instanceof NodeFault && error.kind === 'malformed')) throw error;
        fault ??= error;
        omitted += 1;
      }
    },
    /** Throws `NodeFault` if none of several elements can be read. */
    end(): T[] {
      if (omitted > 0 && found.length === 0) throw fault;
      if (omitted > 0) report?.(omitted);
      return found;
    },
  };
}

export function readableElements<T>(
  elements: readonly unknown[],
  read: (element: unknown) => T,
  report: ReportOmitted | undefined,
): T[] {
  const reader = createElementReader<T>(report);
  for (const element of elements) reader.add(() => read(element));
  return reader.end();
}

export const tooLarge = (what: string) => new NodeFault('too_large', `the node's response has too many ${what}`);

/** A missing list counts as empty, because Go encodes an empty list as null. */
export function list(value: unknown, what: string, max = Number.POSITIVE_INFINITY): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw malformed(what);
  if (value.length > max) throw tooLarge(what);
  return value;
}

export function string(value: unknown, what: string): string {
  if (typeof value !== 'string') throw malformed(what);
  return value;
}

/** A non-empty string. */
export function text(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') throw malformed(what);
  return value;
}

/** An integer of at most `digits` digits, as a string without leading zeros; `0` if missing. */
export function count(value: unknown, what: string, digits = 20): string {
  if (value === undefined || value === null || value === '') return '0';
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string' || text.length > digits || !/^\d+$/.test(text)) throw malformed(what);
  return text.replace(/^0+(?=\d)/, '');
}

/** An amount takes up to 256 bits. With 18 decimal places, even 19 coins exceed 64 bits. */
const AMOUNT_DIGITS = 78;
export const MAX_BALANCES = 20_000;

function coin(value: unknown): Coin {
  const { denom, amount } = members(value, 'balance');
  return { denom: text(denom, 'denom'), amount: count(amount, 'amount', AMOUNT_DIGITS) };
}

export const coins = (value: unknown): Coin[] => list(value, 'balances', MAX_BALANCES).map(coin);

/** The balances of an address, except malformed balances. */
export const balancesIn = (value: unknown, report: ReportOmitted | undefined): Coin[] =>
  readableElements(list(value, 'balances', MAX_BALANCES), coin, report);

const CHAIN_ID = /^[\x21-\x7e]{1,50}$/;

export function chainId(value: unknown): string {
  if (typeof value !== 'string' || !CHAIN_ID.test(value)) throw malformed('chain_id');
  return value;
}

/** A block's height and chain ID; the chain ID is undefined if absent. */
export function headOf(block: unknown): { height: number; chainId: string | undefined } {
  const header = isMembers(block) && isMembers(block.header) ? block.header : {};
  const height = Number(count(header.height, 'height'));
  if (height === 0 || !Number.isSafeInteger(height)) throw malformed('height');
  return { height, chainId: header.chain_id === undefined ? undefined : chainId(header.chain_id) };
}
