import type { Token } from '../../client/index.ts';

/** Finds a token by its name, symbol or title, case-insensitive. */
export function findToken(tokens: readonly Token[], text: string): Token | undefined {
  const wanted = text.trim().toLowerCase();
  return (
    tokens.find(({ tokenName, symbol }) => tokenName === wanted || symbol === wanted) ??
    tokens.find(({ title }) => title.toLowerCase() === wanted)
  );
}
