import { BaseAccount } from 'cosmjs-types/cosmos/auth/v1beta1/auth';
import { QueryAccountRequest, QueryAccountResponse } from 'cosmjs-types/cosmos/auth/v1beta1/query';
import {
  QueryAllBalancesRequest,
  QueryAllBalancesResponse,
  QueryBalanceRequest,
  QueryBalanceResponse,
} from 'cosmjs-types/cosmos/bank/v1beta1/query';
import { PubKey } from 'cosmjs-types/cosmos/crypto/secp256k1/keys';
import { QueryParamsResponse } from 'cosmjs-types/cosmos/staking/v1beta1/query';
import { SimulateRequest, SimulateResponse } from 'cosmjs-types/cosmos/tx/v1beta1/service';
import type { Chain } from '../chain.ts';
import { STAKING } from '../cosmos-node.ts';
import { addressError, isMultisig } from '../keys.ts';
import { KEY_TYPE, readTxRaw } from '../protobuf.ts';
import { coinRecord, TransactionError } from '../transaction.ts';

/** The error of a query. The codes belong to the codespace `sdk`. */
export class QueryError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const [UNKNOWN_REQUEST, INVALID_REQUEST, KEY_NOT_FOUND] = [6, 18, 22];

function assertAddress(address: string): void {
  const fault = addressError(address);
  if (fault)
    throw new QueryError(INVALID_REQUEST, `rpc error: code = InvalidArgument desc = ${fault}: invalid request`);
}

function account(chain: Chain, data: Uint8Array): Uint8Array {
  const { address } = QueryAccountRequest.decode(data);
  assertAddress(address);
  const account = chain.account(address);
  if (!account) {
    const reason = `rpc error: code = NotFound desc = account ${address} not found: key not found`;
    throw new QueryError(KEY_NOT_FOUND, reason);
  }
  const { number, sequence, publicKey } = account;
  const pubKey =
    publicKey && !isMultisig(publicKey)
      ? { typeUrl: KEY_TYPE, value: PubKey.encode({ key: publicKey }).finish() }
      : undefined;
  const base = BaseAccount.fromPartial({
    address,
    accountNumber: BigInt(number),
    sequence: BigInt(sequence),
    ...(pubKey && { pubKey }),
  });
  const value = BaseAccount.encode(base).finish();
  return QueryAccountResponse.encode({ account: { typeUrl: '/cosmos.auth.v1beta1.BaseAccount', value } }).finish();
}

function balance(chain: Chain, data: Uint8Array): Uint8Array {
  const { address, denom } = QueryBalanceRequest.decode(data);
  assertAddress(address);
  const coin = chain.balances(address).find((one) => one.denom === denom) ?? { denom, amount: 0n };
  return QueryBalanceResponse.encode({ balance: coinRecord(coin) }).finish();
}

function allBalances(chain: Chain, data: Uint8Array): Uint8Array {
  const { address } = QueryAllBalancesRequest.decode(data);
  assertAddress(address);
  const balances = chain.balances(address).map(coinRecord);
  return QueryAllBalancesResponse.encode(QueryAllBalancesResponse.fromPartial({ balances })).finish();
}

function stakingParams(chain: Chain): Uint8Array {
  const { unbondingSeconds, ...rest } = STAKING;
  const unbondingTime = { seconds: BigInt(unbondingSeconds), nanos: 0 };
  const params = { ...rest, unbondingTime, bondDenom: chain.denom, minCommissionRate: '0' };
  return QueryParamsResponse.encode(QueryParamsResponse.fromPartial({ params })).finish();
}

function simulation(chain: Chain, data: Uint8Array): Uint8Array {
  const { txBytes, tx } = SimulateRequest.decode(data);
  if (txBytes.length === 0 && tx)
    throw new QueryError(INVALID_REQUEST, 'the deprecated tx is not simulated: invalid request');
  try {
    const { gasUsed, events } = chain.simulate(() => readTxRaw(txBytes, true));
    const response = SimulateResponse.fromPartial({
      gasInfo: { gasWanted: 0n, gasUsed: BigInt(gasUsed) },
      result: { events },
    });
    return SimulateResponse.encode(response).finish();
  } catch (error) {
    if (error instanceof TransactionError) throw new QueryError(error.code, error.message);
    throw error;
  }
}

const QUERIES: Readonly<Record<string, (chain: Chain, data: Uint8Array) => Uint8Array>> = {
  '/cosmos.auth.v1beta1.Query/Account': account,
  '/cosmos.bank.v1beta1.Query/Balance': balance,
  '/cosmos.bank.v1beta1.Query/AllBalances': allBalances,
  '/cosmos.staking.v1beta1.Query/Params': stakingParams,
  '/cosmos.tx.v1beta1.Service/Simulate': simulation,
};

/** Runs a gRPC query. Throws a QueryError. */
export function runQuery(chain: Chain, path: string, data: Uint8Array): Uint8Array {
  const query = QUERIES[path];
  if (!query) throw new QueryError(UNKNOWN_REQUEST, 'unknown query path: unknown request');
  return query(chain, data);
}
