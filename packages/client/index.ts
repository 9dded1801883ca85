export type {
  BroadcastMode,
  Coin,
  LegacyAccount,
  LegacyBalances,
  LegacyBlock,
  LegacySearch,
  LegacyTransaction,
} from '../cosmos/legacy-shapes.ts';
export type {
  KeyChanges,
  KeyOptions,
  KeyScope,
  NoticeSettings,
  PendingRegistration,
  Plan,
  Registration,
  UsageBy,
} from './account.ts';
export type { BroadcastOptions, WaitOptions } from './chain/broadcast.ts';
export { ChainClient, type ChainClientOptions } from './chain/chain-client.ts';
export { type EndpointOptions, type NodeEndpoint, restEndpoint, rpcEndpoint } from './chain/endpoints.ts';
export type { SignedTransaction, StdTx } from './chain/node-transport.ts';
export type {
  Explorer,
  ExplorerTemplates,
  Network,
  NetworkChoice,
  NetworkName,
  Page,
  TransactionFilter,
} from './chain/options.ts';
export { type Gap, QuotientError, type QuotientErrorCode } from './error.ts';
export { CANDLE_INTERVALS, type CandleInterval } from './generated/candle-intervals.ts';
export type * from './generated/records.ts';
export type { CandleWindow, CsvOptions, Days, PriceOptions, PriceWindow, TokenName } from './prices.ts';
export { QuotientClient, type QuotientClientOptions } from './quotient-client.ts';
export type { DateInput, TimeInput } from './records.ts';
export type { Readiness } from './request.ts';
export type { StreamOptions } from './stream/price-stream.ts';
export type { Answer } from './transport/answer.ts';
export type { CallOptions, Fetch, TransportOptions } from './transport/options.ts';
export type { Allowance } from './transport/retries.ts';
