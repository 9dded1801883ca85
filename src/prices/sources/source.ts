import type { TokenName } from '#catalogue/token';
import type { Interval } from '#prices/model/interval';
import type { MarketSourceName } from '#prices/model/market-sources';
import type { LatestPrice } from '#prices/model/records';
import type { Sample } from '#prices/model/sample';

/** The latest price of a token (USD) and the time of its sample (Unix ms). */
export type Quote = {
  token: TokenName;
  price: number;
  at: number;
  /** All that a latest price record has, from a source that tells it. */
  record?: LatestPrice;
};

/** A source of prices, open. Every verb throws `UpstreamFailure`; with `not_listed` for a token that it has not. */
export type MarketSource = {
  readonly name: MarketSourceName;
  /** The earliest instant (Unix ms) of which it tells samples of an interval; -Infinity when it goes all the way back. */
  reach(interval: Interval, now: number): number;
  /** The latest prices of the tokens named; one that the source has no price of is left out. */
  quotes(tokens: readonly TokenName[]): Promise<Quote[]>;
  /**
   * The samples of an interval, ascending: a day's are at midnight (UTC).
   *
   * @param from Unix ms: none earlier is needed; as far back as the source reaches where left out
   */
  samples(token: TokenName, interval: Interval, from?: number): Promise<Sample[]>;
  close(): Promise<void>;
};

/** The source that stands in for the first. */
export type NextSource = MarketSource & { name: 'kraken' };
