import { BUILT_IN_TOKENS, type Token, type TokenName } from '../../src/catalogue/token.ts';
import { DAY, isoDate } from '../../src/core/clock.ts';
import { hashed } from './noise.ts';

/** What the stand-ins know of a token beside what is told of it. */
export type SandboxToken = Omit<Token, 'statistics'> & {
  /** Which one it is: its noise has lanes of its own. */
  place: number;
  /** The chain's first date as the aggregator tells it, which it does of some. */
  genesis: string | undefined;
};

// Each part of a name begins with another letter, so that no two of the thousand have a symbol in common.
const FIRST = ['al', 'be', 'cor', 'dan', 'el', 'fi', 'gor', 'hu', 'ir', 'jo'];
const SECOND = ['ba', 'co', 'da', 'fe', 'gi', 'lo', 'mu', 'na', 'pe', 'ri'];
const THIRD = ['do', 'ka', 'li', 'mo', 'no', 'pa', 'que', 'ra', 'si', 'ta'];

/** Their places are past all lanes that others have. */
const SYNTHETIC_PLACE = 20_000;
const PAIR_EVERY = 5;
const GENESIS_EVERY = 3;
/** They are listed between these dates, and their chains begin up to so long before. */
const LISTED = [Date.parse('2014-01-01'), Date.parse('2025-06-01')] as const;
const LONGEST_BEFORE = 400 * DAY;
const [LISTED_LANE, GENESIS_LANE] = [1, 2];

function synthetic(n: number): SandboxToken {
  const parts = [FIRST[Math.floor(n / 100)], SECOND[Math.floor(n / 10) % 10], THIRD[n % 10]] as string[];
  const name = parts.join('');
  const symbol = parts.map(([letter]) => letter).join('');
  const listed = LISTED[0] + hashed(0, LISTED_LANE, n) * (LISTED[1] - LISTED[0]);
  const begins = isoDate(listed - hashed(0, GENESIS_LANE, n) * LONGEST_BEFORE);
  return {
    name,
    symbol,
    title: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    begins,
    listed: isoDate(listed),
    pair: n % PAIR_EVERY === 0 ? `${symbol.toUpperCase()}USD` : undefined,
    place: SYNTHETIC_PLACE + n,
    genesis: n % GENESIS_EVERY === 0 ? begins : undefined,
  };
}

const BUILT_IN: readonly SandboxToken[] = BUILT_IN_TOKENS.map((token, place) => ({
  ...token,
  place,
  genesis: token.begins,
}));
const builtIn = new Map(BUILT_IN.map((token) => [token.name as TokenName, token]));
let everyToken: ReadonlyMap<TokenName, SandboxToken> | undefined;

/** The tokens that the stand-ins know by name: the built-in ones, and a thousand made-up ones, which are always the same. */
export function sandboxTokens(): ReadonlyMap<TokenName, SandboxToken> {
  everyToken ??= new Map(
    [...BUILT_IN, ...Array.from({ length: 1000 }, (_, n) => synthetic(n))].map((one) => [one.name, one]),
  );
  return everyToken;
}

export const sandboxToken = (name: TokenName): SandboxToken | undefined =>
  builtIn.get(name) ?? sandboxTokens().get(name);
