export type {
  BroadcastMode,
  Coin,
  LegacyAccount,
  LegacyBalances,
  LegacyBlock,
  LegacySearch,
  LegacyTransaction,
} from '../domain/cosmos/legacy-shapes.ts';
export type { Allowance, Answer } from './answer.ts';
export type { WaitOptions } from './chain/block-wait.ts';
export {
  type BroadcastOptions,
  ChainClient,
  type ChainClientOptions,
  type Page,
  type TransactionFilter,
} from './chain/chain-client.ts';
export type { Explorer, ExplorerTemplates, Network, NetworkChoice, NetworkName } from './chain/options.ts';
export type { SignedTransaction, StdTx } from './chain/signed-transaction.ts';
export type { DateInput } from './dates.ts';
export { type Gap, QuotientError, type QuotientErrorCode } from './error.ts';
export type * from './generated/records.ts';
export {
  type CallOptions,
  type Days,
  type Plan,
  type PriceOptions,
  type PriceWindow,
  QuotientClient,
  type QuotientClientOptions,
  type Readiness,
  type Registration,
  type TokenName,
} from './quotient-client.ts';
export type { Fetch, TransportOptions } from './transport.ts';
