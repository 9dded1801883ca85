import { startOfDate } from '#core/clock';
import { editDistance, tolerance } from '#core/forms/record-fields';
import { FIRST_BLOCK } from '#upstream/items/plausible';
import type { Token, TokenName } from './token.ts';

const SUGGESTED = 3;
/** The maximum length of a text that gets suggestions. All names are shorter. */
const LONGEST_TEXT = 100;

/** The characters of a text as a bit set. Several characters share a bit. */
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

export const listedAt = ({ listed }: Pick<Token, 'listed'>): number => midnightOf(listed);

/** The start (Unix ms) of the listing date, or of the first stored day (`firstDay`) if that day is earlier. */
export const knownSince = (token: Pick<Token, 'listed'> | undefined, firstDay = Number.POSITIVE_INFINITY): number =>
  Math.min(token ? listedAt(token) : Number.POSITIVE_INFINITY, startOfDate(firstDay));

/** The start (Unix ms) of the date in `begins`. For an unknown token, the time of Bitcoin's first block. */
export const beginningOf = (token: Pick<Token, 'begins'> | undefined): number =>
  token ? midnightOf(token.begins) : FIRST_BLOCK;

/** A shared symbol refers to the first token, and a requested token's symbol to nothing: users could redefine it. */
function indexOf(tokens: readonly Token[]) {
  const byName = new Map<TokenName, Token>(tokens.map((token) => [token.name, token]));
  const bySymbol = new Map<string, Token>();
  const byWord = new Map<string, Set<Token>>();
  const called = new Map<string, { token: Token; letters: number }>();
  for (const token of tokens) {
    if (!token.isRequested && !bySymbol.has(token.symbol)) bySymbol.set(token.symbol, token);
    for (const text of [token.name, token.symbol, token.title]) {
      const written = hyphenated(text);
      if (!called.has(written)) called.set(written, { token, letters: lettersIn(written) });
      for (const word of wordsOf(text)) byWord.set(word, (byWord.get(word) ?? new Set()).add(token));
    }
  }

  return { tokens, byName, bySymbol, byWord, called, successors: successorsIn(byName) };
}

/** The last served token of each chain of successors. A chain that leads back to its start has no successor. */
function successorsIn(byName: ReadonlyMap<TokenName, Token>): ReadonlyMap<TokenName, Token> {
  const successors = new Map<TokenName, Token>();
  for (const token of byName.values()) {
    const passed = new Set([token]);
    let last = token;
    for (;;) {
      const next = last.successor === undefined ? undefined : byName.get(last.successor);
      if (!next || passed.has(next)) break;
      passed.add(next);
      last = next;
    }
    if (last !== token) successors.set(token.name, last);
  }
  return successors;
}

export function createCatalogue(tokens: readonly Token[]) {
  let index = indexOf(tokens);
  let generation = 0;

  function alike(text: string): Token[] {
    const most = tolerance(text.length);
    if (most === 0) return [];
    const near: { token: Token; apart: number }[] = [];
    const letters = lettersIn(text);
    for (const [other, { token, letters: others }] of index.called) {
      // One different character changes at most two bits. Comparing bits is cheaper than computing the edit distance.
      if (bitsIn(letters ^ others) > 2 * most) continue;
      const apart = editDistance(text, other, Math.min(most, tolerance(other.length)));
      if (apart !== Number.POSITIVE_INFINITY) near.push({ token, apart });
    }
    return near.sort((a, b) => a.apart - b.apart).map(({ token }) => token);
  }

  /** Returns the tokens that share words with the text. The tokens with the most shared words come first. */
  function sharing(text: string): Token[] {
    const shared = new Map<Token, number>();
    for (const word of new Set(wordsOf(text))) {
      for (const token of index.byWord.get(word) ?? []) shared.set(token, (shared.get(token) ?? 0) + 1);
    }
    return [...shared].sort(([, a], [, b]) => b - a).map(([token]) => token);
  }

  function called(nameOrSymbol: string): Token | undefined {
    const text = nameOrSymbol.toLowerCase();
    return index.byName.get(text) ?? index.bySymbol.get(text);
  }

  return {
    all: (): readonly Token[] => index.tokens,
    named: (name: TokenName): Token | undefined => index.byName.get(name),

    /** Finds a token by its name or else its symbol, ignoring case. Returns its successor, if it has one. */
    find(nameOrSymbol: string): Token | undefined {
      const token = called(nameOrSymbol);
      return token && (index.successors.get(token.name) ?? token);
    },

    /** Like `find`, but returns the token itself, on whose data commands work. */
    findItself: called,
    hasSuccessors: (): boolean => index.successors.size > 0,

    /** The token that replaces the token with a name or symbol, if it has a successor. */
    successorOf(nameOrSymbol: string): Token | undefined {
      const token = called(nameOrSymbol);
      return token && index.successors.get(token.name);
    },

    /** Returns the tokens closest to a text, best first, or an empty list if none is close. */
    nearest(text: string): Token[] {
      if (text.length > LONGEST_TEXT) return [];
      const found = new Set([...alike(hyphenated(text)), ...sharing(text)]);
      return [...found].slice(0, SUGGESTED);
    },

    replace(tokens: readonly Token[]): void {
      index = indexOf(tokens);
      generation += 1;
    },

    generation: () => generation,
  };
}

export type Catalogue = Omit<ReturnType<typeof createCatalogue>, 'replace'>;
