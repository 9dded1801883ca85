import type { Token } from '../../client/index.ts';

export const SEARCHED_FROM = 10;

/** Whether a token is meant by what was typed: a part of its title, name or symbol, in any case. */
export function isMatch({ title, tokenName, symbol }: Token, typed: string): boolean {
  const wanted = typed.trim().toLowerCase();
  return [title, tokenName, symbol].some((text) => text.toLowerCase().includes(wanted));
}
