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
  /** An amino `StdTx`; a message that amino does not know has its protobuf JSON in it. */
  tx?: unknown;
  /** When its block was made (ISO 8601). */
  timestamp?: string;
  [member: string]: unknown;
};

export type LegacyAccount = {
  /** The block that it is of, as text. */
  height: string;
  result: {
    /** `cosmos-sdk/Account` for one that holds nothing back; others have further members. */
    type: string;
    value: {
      /** Empty for an account that does not exist. */
      address: string;
      coins: Coin[];
      /** Known to the chain since its first transaction. */
      public_key: { type: string; value: unknown } | string | null;
      /** Whole numbers as text. */
      account_number: string;
      sequence: string;
      [member: string]: unknown;
    };
  };
};

export type LegacyBlock = {
  block_id: { hash: string; [member: string]: unknown };
  block: {
    header: {
      chain_id: string;
      /** As text. */
      height: string;
      /** ISO 8601. */
      time: string;
      [member: string]: unknown;
    };
    /** Transactions in base64; null where there is none. */
    data: { txs: string[] | null };
    [member: string]: unknown;
  };
};

export type LegacyNodeInfo = {
  node_info: {
    /** The id of the chain. */
    network: string;
    [member: string]: unknown;
  };
  application_version: { readonly [member: string]: unknown };
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

/** A signed transaction: amino JSON, which is encoded for a modern node, or its bytes in base64. */
export type BroadcastRequest = { tx?: unknown; tx_bytes?: string; mode: BroadcastMode };
