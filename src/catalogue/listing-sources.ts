/** A coin by what it is called; the symbol in lower case. */
export type NamedCoin = { id: string; symbol: string; title: string };

/** What the aggregator tells of a coin, beside its name. */
export type Coin = NamedCoin & {
  /** In US dollars. */
  price: number | null;
  /** The date of the chain's first block (`YYYY-MM-DD`), where it is known. */
  genesis: string | undefined;
  /** Dates (`YYYY-MM-DD`) of which a price is known. */
  priced: string[];
};

/** A pair by its own name; `price` is undefined where the venue tells none. */
export type FoundPair = { pair: string; status: string; price: number | undefined };

/** What tells of coins. Every verb throws `UpstreamFailure`. */
export type CoinSource = {
  /** What is told of a coin; undefined where there is none of that id. */
  coin(id: string): Promise<Coin | undefined>;
  /** The coins that a text may mean, the largest first. */
  search(text: string): Promise<NamedCoin[]>;
  /** Every coin there is. */
  coins(): Promise<NamedCoin[]>;
  /** Its samples of the last so many days, ascending; `at` in Unix ms. */
  daily(id: string, days: number | 'max'): Promise<readonly { at: number }[]>;
  /** How many days back it tells of; Infinity when it goes all the way back. */
  historyDays(): number;
};

/** What tells of pairs: the one against the US dollar that a symbol, or a name of the venue's, means. */
export type PairSource = { pairOf(text: string): Promise<FoundPair | undefined> };
