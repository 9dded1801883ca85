/* The shapes of the legacy interface, which all results have. Members that are not listed here are passed through. */

/** `amount` is an integer as a string. */
export type Coin = { denom: string; amount: string };

export type LegacyBalances = {
  /** The block height at which these balances were read, as a string. */
  height: string;
  result: Coin[];
};

export type LegacyTransaction = {
  /** The block height, as a string; `"0"` until the transaction is in a block. */
  height: string;
  /** The SHA-256 of the bytes, in upper-case hex. */
  txhash: string;
  code?: number;
  codespace?: string;
  raw_log?: string;
  logs?: unknown[];
  /** Amounts of gas, which are integers as strings. */
  gas_wanted?: string;
  gas_used?: string;
  /** An amino `StdTx`. Messages that amino does not know keep their protobuf JSON. */
  tx?: unknown;
  /** The time of the block (ISO 8601). */
  timestamp?: string;
  [member: string]: unknown;
};

export type LegacyAccount = {
  /** The block height at which this state was read, as a string. */
  height: string;
  result: {
    /** `cosmos-sdk/Account` for a base account. Other types, such as vesting accounts, have further members. */
    type: string;
    value: {
      /** The address; empty for an account that does not exist. */
      address: string;
      coins: Coin[];
      /** The public key; null until the account's first transaction. */
      public_key: { type: string; value: unknown } | string | null;
      /** The numbers are null if an account of an unknown type does not report them. */
      account_number: string | null;
      sequence: string | null;
      [member: string]: unknown;
    };
  };
};

export type LegacyBlock = {
  block_id: { hash: string; [member: string]: unknown };
  block: {
    header: {
      chain_id: string;
      height: string;
      time: string;
      [member: string]: unknown;
    };
    /** Transactions in base64; null for an empty block. */
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

/** One page of a search. The numbers are integers as strings. */
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
