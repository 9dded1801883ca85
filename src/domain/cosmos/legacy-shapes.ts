/*
 * What the legacy interface answers, and so what every caller gets, whichever dialect the node speaks. Members that
 * are not named here are kept as the node gave them.
 */

/** An amount (a whole number as text) of a denomination. */
export type Coin = { denom: string; amount: string };

export type LegacyBalances = {
  /** The block that the balances are of, as text. */
  height: string;
  result: Coin[];
};

export type LegacyTransaction = {
  /** The block it is in, as text; `"0"` while it is in none. */
  height: string;
  /** The SHA-256 of its bytes, in upper-case hex. */
  txhash: string;
  /** Why it failed; left out when it did not. */
  code?: number;
  /** What the code belongs to. */
  codespace?: string;
  raw_log?: string;
  logs?: unknown[];
  /** Whole numbers as text. */
  gas_wanted?: string;
  gas_used?: string;
  /** An amino `StdTx` from a legacy node; from a modern one, the transaction in its protobuf JSON form. */
  tx?: unknown;
  /** When its block was made (ISO 8601). */
  timestamp?: string;
  [member: string]: unknown;
};

/** A page of a search; every count is a whole number as text. */
export type LegacySearch = {
  total_count: string;
  count: string;
  page_number: string;
  page_total: string;
  limit: string;
  txs: LegacyTransaction[];
};

export const BROADCAST_MODES = ['sync', 'async', 'block'] as const;
export type BroadcastMode = (typeof BROADCAST_MODES)[number];

/** A signed transaction: amino JSON for a legacy node, or its bytes in base64 for a modern one. */
export type BroadcastRequest = { tx?: unknown; tx_bytes?: string; mode: BroadcastMode };
