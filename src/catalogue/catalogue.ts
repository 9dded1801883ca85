import { lettersApart, tolerance } from '#core/record-fields';
import type { Token, TokenName } from './token.ts';

/** How many tokens are suggested for a text that names none. */
const SUGGESTED = 3;
/** Of a longer text nothing is near: names are shorter. */
const LONGEST_TEXT = 100;

/** Which letters a text has, one bit for each (and for a few that share one). */
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

/** A text as names are written: lower case, with a hyphen for whatever is no letter or digit. */
const hyphenated = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');

const wordsOf = (text: string): string[] => hyphenated(text).split('-').filter(Boolean);

/**
 * The tokens that are served, by whatever they are called.
 * @param tokens in the order in which they were added: a symbol that several have is the first one's
 */
export function createCatalogue(tokens: readonly Token[]) {
  const byName = new Map<TokenName, Token>(tokens.map((token) => [token.name, token]));
  const bySymbol = new Map<string, Token>();
  const byWord = new Map<string, Set<Token>>();
  /** What each token is called, to be compared with what is nearly the same. */
  const called = new Map<string, { token: Token; letters: number }>();
  for (const token of tokens) {
    if (!bySymbol.has(token.symbol)) bySymbol.set(token.symbol, token);
    for (const text of [token.name, token.symbol, token.title]) {
      const written = hyphenated(text);
      if (!called.has(written)) called.set(written, { token, letters: lettersIn(written) });
      for (const word of wordsOf(text)) byWord.set(word, (byWord.get(word) ?? new Set()).add(token));
    }
  }

  /** Those called nearly the same, the nearest first. */
  function alike(text: string): Token[] {
    const most = tolerance(text.length);
    if (most === 0) return [];
    const near: { token: Token; apart: number }[] = [];
    const letters = lettersIn(text);
    for (const [other, { token, letters: others }] of called) {
      // Each letter that differs is one that only one of the two has, or two: that is looked at first, in no time.
      if (bitsIn(letters ^ others) > 2 * most) continue;
      const apart = lettersApart(text, other, Math.min(most, tolerance(other.length)));
      if (apart !== Number.POSITIVE_INFINITY) near.push({ token, apart });
    }
    return near.sort((a, b) => a.apart - b.apart).map(({ token }) => token);
  }

  /** Those with the same words in their names, the most first. */
  function sharing(text: string): Token[] {
    const shared = new Map<Token, number>();
    for (const word of new Set(wordsOf(text))) {
      for (const token of byWord.get(word) ?? []) shared.set(token, (shared.get(token) ?? 0) + 1);
    }
    return [...shared].sort(([, a], [, b]) => b - a).map(([token]) => token);
  }

  return {
    /** In the order in which they were added. */
    all: (): readonly Token[] => tokens,

    named: (name: TokenName): Token | undefined => byName.get(name),

    /** The token of a name or else of a symbol, in upper or lower case. */
    find(nameOrSymbol: string): Token | undefined {
      const text = nameOrSymbol.toLowerCase();
      return byName.get(text) ?? bySymbol.get(text);
    },

    /** The tokens that a text may mean, the likeliest first; none where nothing is near. */
    nearest(text: string): Token[] {
      if (text.length > LONGEST_TEXT) return [];
      const found = new Set([...alike(hyphenated(text)), ...sharing(text)]);
      return [...found].slice(0, SUGGESTED);
    },
  };
}

export type Catalogue = ReturnType<typeof createCatalogue>;
