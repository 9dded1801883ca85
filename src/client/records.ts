/*
 * The records of the service, made from its own schemas by `node scripts/client-types.ts`: not edited by hand.
 */

/** The figures of one date */
export interface DateSnapshot {
  /** Price at 00:00 UTC of the date, USD */
  current_price: number | null;
  /** Market capitalisation at 00:00 UTC of the date, USD */
  market_cap: number | null;
  /** Volume of the 24 hours before, USD */
  total_volume: number | null;
}

/** The latest price of a token and what goes with it */
export interface LatestPrice {
  /** Price of one coin, USD */
  current_price: number;
  /** Market capitalisation, USD */
  market_cap: number | null;
  /** Volume of the last 24 hours, USD */
  total_volume: number | null;
  /** Coins in circulation */
  circulating_supply: number | null;
  /** Coins in all; null where the aggregator has none */
  total_supply: number | null;
  /** Coins there can ever be; null where there is no bound */
  max_supply: number | null;
  /** All-time high, USD */
  ath: number | null;
  /** Change since the all-time high, per cent */
  ath_change_percentage: number | null;
  ath_date: Date | null;
  /** All-time low, USD */
  atl: number | null;
  /** Change since the all-time low, per cent */
  atl_change_percentage: number | null;
  atl_date: Date | null;
}

/** Three arrays over time; a figure that is not known is left out of its array */
export interface PriceSeries {
  /** Price, USD: ascending, no two points with the same date */
  prices: {
    date: Date;
    /** The figure, whichever array it is in */
    price: number;
  }[];
  /** Market capitalisation, USD: ascending, no two points with the same date */
  market_cap: {
    date: Date;
    /** The figure, whichever array it is in */
    price: number;
  }[];
  /** 24-hour volume, USD: ascending, no two points with the same date */
  total_volume: {
    date: Date;
    /** The figure, whichever array it is in */
    price: number;
  }[];
}

/** What went wrong (RFC 9457) */
export interface Problem {
  /** The page that tells what to do */
  type: string;
  title: string;
  status: number;
  detail: string;
  /** What to tell problems apart by */
  code: string;
  /** As in the header X-Request-Id */
  requestId: string;
  /** One entry for each fault of the input */
  errors?: {
    /** Where it is */
    location: string;
    /** What is wrong */
    message: string;
    /** What is wanted */
    fix: string;
  }[];
  /** The spans that cannot be had, as `from/thru` */
  gaps?: string[];
  /** What the node said when it refused the request */
  error?: string;
  /** The hash of a transaction that went out and may have arrived */
  txhash?: string;
  [k: string]: unknown;
}

/** A token, and what is known of it */
export interface Token {
  tokenName: 'bitcoin' | 'arweave' | 'ethereum' | 'solana' | 'usd-coin';
  /** Its ticker symbol, in lower case */
  symbol: string;
  /** The first date of which a price is known */
  listed: string;
  /** The paths that serve the token, under the base path */
  endpoints: string[];
  archive: {
    minute: Holding;
    hour: Holding;
    day: Holding;
  };
}

/** What the archive holds of one grain: first and last sample, and how many */
export interface Holding {
  from: Date | null;
  thru: Date | null;
  /** How many samples */
  points: number;
}

/** On-chain statistics of a token */
export interface TokenStatistics {
  /** The source's own number of the chain; null where the source does not tell */
  id: number | null;
  /** The sample's own time */
  time: Date;
  /** In upper case */
  symbol: string;
  /** The source's own symbol; `symbol` where it has none */
  partner_symbol: string;
  /** Addresses that once held something and hold nothing; null where the source does not tell */
  zero_balance_addresses_all_time: number | null;
  /** Addresses that ever appeared; null where the source does not tell */
  unique_addresses_all_time: number | null;
  /** Addresses that first appeared in the last day; null where the source does not tell */
  new_addresses: number | null;
  /** Addresses that sent or received in the last day; null where the source does not tell */
  active_addresses: number | null;
  /** Mean value of a transaction of the last day, in coins; null where the source does not tell */
  average_transaction_value: number | null;
  /** The height of the newest block; null where the source does not tell */
  block_height: number | null;
  /** Terahashes a second (TH/s); null where the source does not tell */
  hashrate: number | null;
  /** The difficulty of a block, in the measure of its chain; null where the source does not tell */
  difficulty: number | null;
  /** Mean time between two blocks, in seconds; null where the source does not tell */
  block_time: number | null;
  /** Mean size of a block, in bytes; null where the source does not tell */
  block_size: number | null;
  /** Coins there are; null where the source does not tell */
  current_supply: number | null;
  /** Transactions of the last day; null where the source does not tell */
  transaction_count: number | null;
  /** Transactions ever; null where the source does not tell */
  transaction_count_all_time: number | null;
  /** Transactions of the last day worth more than 100,000 USD; null where the source does not tell */
  large_transaction_count: number | null;
}

/** What was used of the allowance */
export interface Usage {
  /** The calls allowed in one period */
  limit: number;
  /** Calls charged in the running period */
  used: number;
  remaining: number;
  periodStart: Date;
  /** When the next period begins */
  resetsAt: Date;
  validUntil: Date;
  /** Calls charged by UTC date, the newest first, 31 at most */
  daily: {
    date: string;
    calls: number;
  }[];
}

/** A user, and the key that was used */
export interface User {
  /** The record number */
  key: number;
  name: string;
  email: string;
  /** The key that was presented, or the one just made: it is shown once and only its hash is stored */
  apiKey: string;
  plan: 'monthly' | 'yearly';
  /** The calls allowed in one period */
  limit: number;
  createdAt: Date;
  /** Exclusive, and always a period boundary */
  validUntil: Date;
  updatedAt: Date;
}

/** A token that has on-chain statistics */
export type StatisticsSymbol = 'btc' | 'ar' | 'eth' | 'sol';

/** What the service tells problems apart by */
export type ProblemCode =
  | 'invalid_request'
  | 'secret_in_request'
  | 'api_key_missing'
  | 'api_key_invalid'
  | 'api_key_expired'
  | 'api_key_revoked'
  | 'cross_site'
  | 'registration_closed'
  | 'not_found'
  | 'no_data'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'request_timeout'
  | 'renew_too_early'
  | 'too_many_keys'
  | 'body_too_large'
  | 'uri_too_long'
  | 'unsupported_media_type'
  | 'node_rejected'
  | 'quota_exceeded'
  | 'rate_limited'
  | 'headers_too_large'
  | 'internal_error'
  | 'upstream_invalid'
  | 'upstream_unavailable'
  | 'node_not_configured'
  | 'database_unavailable'
  | 'overloaded'
  | 'upstream_timeout';
