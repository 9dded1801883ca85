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
export type { DateInput, TimeInput } from './dates.ts';
export { type Gap, QuotientError, type QuotientErrorCode } from './error.ts';
export type * from './generated/records.ts';
export {
  type CallOptions,
  type PriceOptions,
  QuotientClient,
  type QuotientClientOptions,
} from './quotient-client.ts';
export type {
  KeyOptions,
  KeyScope,
  NoticeSettings,
  PendingRegistration,
  Plan,
  Registration,
} from './requests/account.ts';
export type { Days, PriceWindow, TokenName } from './requests/prices.ts';
export type { Readiness } from './requests/service.ts';
export type { Fetch, TransportOptions } from './transport.ts';
