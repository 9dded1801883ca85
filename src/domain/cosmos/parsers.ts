import { NodeFault } from './exchange.ts';
import type { Coin } from './legacy-shapes.ts';

/*
 * Reading what a node says, none of which is believed. Each throws `NodeFault` (`nonsense`) that names the member.
 */

export type Members = Readonly<Record<string, unknown>>;

export const nonsense = (what: string) => new NodeFault('nonsense', `the node's answer has no ${what}`);

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function members(value: unknown, what: string): Members {
  if (!isMembers(value)) throw nonsense(what);
  return value;
}

/** A list; one that is left out or null is empty, as Go writes it. */
export function list(value: unknown, what: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw nonsense(what);
  return value;
}

/** A text, which may be empty. */
export function string(value: unknown, what: string): string {
  if (typeof value !== 'string') throw nonsense(what);
  return value;
}

/** A text that is not empty. */
export function text(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') throw nonsense(what);
  return value;
}

/**
 * A whole number from 0, as text without zeros before it, whether it came as a text or as a number; a zero is often
 * left out.
 *
 * @param digits how many it may have: 20 are those of 64 bits
 */
export function count(value: unknown, what: string, digits = 20): string {
  if (value === undefined || value === null || value === '') return '0';
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string' || text.length > digits || !/^\d+$/.test(text)) throw nonsense(what);
  return text.replace(/^0+(?=\d)/, '');
}

/** An amount has 256 bits: a coin of 18 decimals is beyond 64 of them from 19 coins on. */
const AMOUNT_DIGITS = 78;

/** Balances as both dialects list them. */
export const coins = (value: unknown): Coin[] =>
  list(value, 'balances').map((one) => {
    const { denom, amount } = members(one, 'balance');
    return { denom: text(denom, 'denom'), amount: count(amount, 'amount', AMOUNT_DIGITS) };
  });

/** The height in the header of a block. */
export function heightOf(block: unknown): number {
  const header = isMembers(block) ? block.header : undefined;
  const height = Number(count(isMembers(header) ? header.height : undefined, 'height'));
  if (height === 0 || !Number.isSafeInteger(height)) throw nonsense('height');
  return height;
}
