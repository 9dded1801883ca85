import { startOfDate } from '#core/clock';
import { editDistance, tolerance } from '#core/record-fields';
import { FIRST_BLOCK } from '#upstream/plausible';
import type { Token, TokenName } from './token.ts';

const SUGGESTED = 3;
/** Longer texts get no suggestions: all names are shorter. */
const LONGEST_TEXT = 100;

/** The letters of a text as a bit set in which some letters share a bit. */
function lettersIn(text: string): number {
  let letters = 0;
  for (let i = 0; i < text.length; i++) letters |= 1 << (text.charCodeAt(i) & 31);
  return letters;
}

function bitsIn(set: number): number {
  let count = 0;
  for (let left = set; left !== 0; left &= left - 1) count += 1;
  return count;
}

/** Converts to lower case, and replaces each run of characters that are neither letters nor digits with a hyphen. */
const hyphenated = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');

const wordsOf = (text: string): string[] => hyphenated(text).split('-').filter(Boolean);

const midnightOf = (date: string): number => Date.parse(`${date}T00:00:00Z`);

/** The first instant of the token's listing date, in Unix ms. */
export const listedAt = ({ listed }: Pick<Token, 'listed'>): number => midnightOf(listed);

/** The start (Unix ms) of the listing date or, if earlier, of the first stored day (`firstDay`). */
export const knownSince = (token: Pick<Token, 'listed'> | undefined, firstDay = Number.POSITIVE_INFINITY): number =>
  Math.min(token ? listedAt(token) : Number.POSITIVE_INFINITY, startOfDate(firstDay));

/** The start (Unix ms) of the date in `begins`. For a token that is not served, the time of Bitcoin's first block. */
export const beginningOf = (token: Pick<Token, 'begins'> | undefined): number =>
  token ? midnightOf(token.begins) : FIRST_BLOCK;

/** A shared symbol refers to the first token that has it. */
function indexOf(tokens: readonly Token[]) {
  const byName = new Map<TokenName, Token>(tokens.map((token) => [token.name, token]));
  const bySymbol = new Map<string, Token>();
  const byWord = new Map<string, Set<Token>>();
  const called = new Map<string, { token: Token; letters: number }>();
  for (const token of tokens) {
    if (!bySymbol.has(token.symbol)) bySymbol.set(token.symbol, token);
    for (const text of [token.name, token.symbol, token.title]) {
      const written = hyphenated(text);
      if (!called.has(written)) called.set(written, { token, letters: lettersIn(written) });
      for (const word of wordsOf(text)) byWord.set(word, (byWord.get(word) ?? new Set()).add(token));
    }
  }

  return { tokens, byName, bySymbol, byWord, called };
}

/** The served tokens, in the order in which they were added. */
export function createCatalogue(tokens: readonly Token[]) {
  let index = indexOf(tokens);
  let generation = 0;

  /** Returns tokens with a similar name, symbol or title, the closest first. */
  function alike(text: string): Token[] {
    const most = tolerance(text.length);
    if (most === 0) return [];
    const near: { token: Token; apart: number }[] = [];
    const letters = lettersIn(text);
    for (const [other, { token, letters: others }] of index.called) {
      // One different letter changes at most two bits, and comparing bits is cheaper than the edit distance.
      if (bitsIn(letters ^ others) > 2 * most) continue;
      const apart = editDistance(text, other, Math.min(most, tolerance(other.length)));
      if (apart !== Number.POSITIVE_INFINITY) near.push({ token, apart });
    }
    return near.sort((a, b) => a.apart - b.apart).map(({ token }) => token);
  }

  /** Returns the tokens that share words with the text. Those that share the most words come first. */
  function sharing(text: string): Token[] {
    const shared = new Map<Token, number>();
    for (const word of new Set(wordsOf(text))) {
      for (const token of index.byWord.get(word) ?? []) shared.set(token, (shared.get(token) ?? 0) + 1);
    }
    return [...shared].sort(([, a], [, b]) => b - a).map(([token]) => token);
  }

  return {
    /** The tokens, in the order in which they were added. */
    all: (): readonly Token[] => index.tokens,
    named: (name: TokenName): Token | undefined => index.byName.get(name),

    /** Finds a token by name, else by symbol, in any case. */
    find(nameOrSymbol: string): Token | undefined {
      const text = nameOrSymbol.toLowerCase();
      return index.byName.get(text) ?? index.bySymbol.get(text);
    },

    /** The tokens closest to a text, best first; empty if none is close. */
    nearest(text: string): Token[] {
      if (text.length > LONGEST_TEXT) return [];
      const found = new Set([...alike(hyphenated(text)), ...sharing(text)]);
      return [...found].slice(0, SUGGESTED);
    },

    replace(tokens: readonly Token[]): void {
      index = indexOf(tokens);
      generation += 1;
    },

    /** Changes when the tokens change. */
    generation: () => generation,
  };
}

export type Catalogue = Omit<ReturnType<typeof createCatalogue>, 'replace'>;
