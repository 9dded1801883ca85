/* The shapes of the legacy interface, which every caller receives. Unnamed members are passed through. */

/** `amount` is an integer as text. */
export type Coin = { denom: string; amount: string };

export type LegacyBalances = {
  /** The block of the balances, as text. */
  height: string;
  result: Coin[];
};

export type LegacyTransaction = {
  /** The block, as text; `"0"` before it is in one. */
  height: string;
  /** SHA-256 of the bytes, in upper-case hex. */
  txhash: string;
  code?: number;
  codespace?: string;
  raw_log?: string;
  logs?: unknown[];
  /** Integers as text. */
  gas_wanted?: string;
  gas_used?: string;
  /** An amino `StdTx`. A message unknown to amino has its protobuf JSON. */
  tx?: unknown;
  /** The time of the block (ISO 8601). */
  timestamp?: string;
  [member: string]: unknown;
};

export type LegacyAccount = {
  /** The block of the state, as text. */
  height: string;
  result: {
    /** `cosmos-sdk/Account` for a plain account; others, such as vesting accounts, have further members. */
    type: string;
    value: {
      /** Empty for an account that does not exist. */
      address: string;
      coins: Coin[];
      /** Null until the first transaction. */
      public_key: { type: string; value: unknown } | string | null;
      /** Integers as text. */
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
    /** Transactions in base64; null without any. */
    data: { txs: string[] | null };
    [member: string]: unknown;
  };
};

export type LegacyNodeInfo = {
  node_info: {
    network: string;
    [member: string]: unknown;
  };
  application_version: { readonly [member: string]: unknown };
};

/** A page of a search; the numbers are integers as text. */
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

/** A signed transaction: amino JSON, which is encoded for a modern node, or bytes in base64. */
export type BroadcastRequest = { tx?: unknown; tx_bytes?: string; mode: BroadcastMode };
