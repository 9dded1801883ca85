export type {
  BroadcastMode,
  Coin,
  LegacyAccount,
  LegacyBalances,
  LegacyBlock,
  LegacySearch,
  LegacyTransaction,
} from '../cosmos/legacy-shapes.ts';
export type { WaitOptions } from './chain/block-wait.ts';
export type { BroadcastOptions } from './chain/broadcast.ts';
export { ChainClient, type ChainClientOptions } from './chain/chain-client.ts';
export type { Page, TransactionFilter } from './chain/inputs.ts';
export type { Explorer, ExplorerTemplates, Network, NetworkChoice, NetworkName } from './chain/options.ts';
export type { SignedTransaction, StdTx } from './chain/signed-transaction.ts';
export { type Gap, QuotientError, type QuotientErrorCode } from './core/error.ts';
export type * from './generated/records.ts';
export {
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
export type { DateInput, TimeInput } from './requests/dates.ts';
export type { Days, PriceWindow, TokenName } from './requests/prices.ts';
export type { Readiness } from './requests/service.ts';
export type { Answer } from './transport/answer.ts';
export type { CallOptions } from './transport/call-options.ts';
export type { Fetch, TransportOptions } from './transport/client-options.ts';
export type { Allowance } from './transport/rate-limit.ts';
