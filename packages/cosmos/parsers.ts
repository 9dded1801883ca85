import { NodeFault } from './exchange.ts';
import type { Coin } from './legacy-shapes.ts';

/** Parsers for what a node says. Each throws `NodeFault` (`malformed`) that names the member. */

export type Members = Readonly<Record<string, unknown>>;

export const malformed = (what: string) => new NodeFault('malformed', `the node's answer has no ${what}`);

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function members(value: unknown, what: string): Members {
  if (!isMembers(value)) throw malformed(what);
  return value;
}

/** Where more elements come than are gone through. */
export const tooLarge = (what: string) => new NodeFault('too_large', `the node's answer has too many ${what}`);

/** A list of at most `most` elements; a missing one is empty, as Go writes it. */
export function list(value: unknown, what: string, most = Number.POSITIVE_INFINITY): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw malformed(what);
  if (value.length > most) throw tooLarge(what);
  return value;
}

/** A text, which may be empty. */
export function string(value: unknown, what: string): string {
  if (typeof value !== 'string') throw malformed(what);
  return value;
}

/** A text that is not empty. */
export function text(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') throw malformed(what);
  return value;
}

/** A whole number of at most so many digits, as text without leading zeros; a missing one is 0. */
export function count(value: unknown, what: string, digits = 20): string {
  if (value === undefined || value === null || value === '') return '0';
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string' || text.length > digits || !/^\d+$/.test(text)) throw malformed(what);
  return text.replace(/^0+(?=\d)/, '');
}

/** An amount has 256 bits: a coin of 18 decimals is beyond 64 of them from 19 coins on. */
const AMOUNT_DIGITS = 78;

/** An address with more balances than this is not read. */
export const MAX_BALANCES = 20_000;

/** Balances as both dialects list them. */
export const coins = (value: unknown): Coin[] =>
  list(value, 'balances', MAX_BALANCES).map((one) => {
    const { denom, amount } = members(one, 'balance');
    return { denom: text(denom, 'denom'), amount: count(amount, 'amount', AMOUNT_DIGITS) };
  });

/** The longest that the id of a chain may be. */
const CHAIN_ID = /^[\x21-\x7e]{1,50}$/;

/** The id of a chain. */
export function chainId(value: unknown): string {
  if (typeof value !== 'string' || !CHAIN_ID.test(value)) throw malformed('chain_id');
  return value;
}

/** The height in the header of a block, and the id of its chain where it is there. */
export function headOf(block: unknown): { height: number; chainId: string | undefined } {
  const header = isMembers(block) && isMembers(block.header) ? block.header : {};
  const height = Number(count(header.height, 'height'));
  if (height === 0 || !Number.isSafeInteger(height)) throw malformed('height');
  return { height, chainId: header.chain_id === undefined ? undefined : chainId(header.chain_id) };
}
