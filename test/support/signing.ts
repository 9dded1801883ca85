import { coins, makeSignDoc as makeAminoSignDoc, Secp256k1Wallet, type StdSignDoc } from '@cosmjs/amino';
import {
  DirectSecp256k1Wallet,
  encodePubkey,
  makeAuthInfoBytes,
  makeSignDoc,
  Registry,
} from '@cosmjs/proto-signing';
import { MsgSend } from 'cosmjs-types/cosmos/bank/v1beta1/tx';
import { SignMode } from 'cosmjs-types/cosmos/tx/signing/v1beta1/signing';
import { TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import type { Sandbox } from '../../src/sandbox/server.ts';

/** What is sent, and what the signer says of itself; each can be told wrong. */
export type Order = {
  to: string;
  amount?: string;
  denom?: string;
  fee?: string;
  gas?: string;
  memo?: string;
  chainId?: string;
  accountNumber: number;
  sequence: number;
};

const filled = (order: Order) => ({
  ...{ amount: '1000', denom: 'uatom', fee: '500', gas: '200000', memo: '', chainId: 'sandbox-1' },
  ...order,
});

/** The private key of one of a sandbox's own accounts. */
export function keyOf(sandbox: Pick<Sandbox, 'chain'>, place = 0): Uint8Array {
  const account = sandbox.chain.accounts[place];
  if (!account) throw new RangeError(`the sandbox has no account ${place}`);
  return account.privateKey;
}

/** A StdTx, signed by a library that is none of the service's. */
export async function signedStdTx(privateKey: Uint8Array, order: Order) {
  const wallet = await Secp256k1Wallet.fromKey(privateKey, 'cosmos');
  const [account] = await wallet.getAccounts();
  if (!account) throw new Error('a wallet of one key has an account');
  const { to, amount, denom, fee, gas, memo, chainId, accountNumber, sequence } = filled(order);
  const message = {
    type: 'cosmos-sdk/MsgSend',
    value: { from_address: account.address, to_address: to, amount: coins(amount, denom) },
  };
  const document: StdSignDoc = makeAminoSignDoc(
    [message],
    { amount: coins(fee, 'uatom'), gas },
    chainId,
    memo,
    accountNumber,
    sequence,
  );
  const { signed, signature } = await wallet.signAmino(account.address, document);
  return { msg: signed.msgs, fee: signed.fee, memo: signed.memo, signatures: [signature] };
}

/** The bytes of a TxRaw, signed by a library that is none of the service's. */
export async function signedTxRaw(
  privateKey: Uint8Array,
  order: Order,
  { typeUrl = '/cosmos.bank.v1beta1.MsgSend', timeoutHeight = 0n } = {},
): Promise<Uint8Array> {
  const wallet = await DirectSecp256k1Wallet.fromKey(privateKey, 'cosmos');
  const [account] = await wallet.getAccounts();
  if (!account) throw new Error('a wallet of one key has an account');
  const { to, amount, denom, fee, gas, memo, chainId, accountNumber, sequence } = filled(order);
  const registry = new Registry([[typeUrl, MsgSend]]);
  const value = { fromAddress: account.address, toAddress: to, amount: coins(amount, denom) };
  const bodyBytes = registry.encodeTxBody({ messages: [{ typeUrl, value }], memo, timeoutHeight });
  const publicKey = encodePubkey({
    type: 'tendermint/PubKeySecp256k1',
    value: Buffer.from(account.pubkey).toString('base64'),
  });
  const authInfoBytes = makeAuthInfoBytes(
    [{ pubkey: publicKey, sequence }],
    coins(fee, 'uatom'),
    Number(gas),
    undefined,
    undefined,
    SignMode.SIGN_MODE_DIRECT,
  );
  const { signature } = await wallet.signDirect(
    account.address,
    makeSignDoc(bodyBytes, authInfoBytes, chainId, accountNumber),
  );
  const signatures = [Buffer.from(signature.signature, 'base64')];
  return TxRaw.encode(TxRaw.fromPartial({ bodyBytes, authInfoBytes, signatures })).finish();
}

/** What one of a sandbox's own accounts sends: `place` is which, and the rest is as it has never sent before. */
type Transfer = Partial<Order> & { to: string; place?: number };

const ordered = ({ chain }: Pick<Sandbox, 'chain'>, { place = 0, ...rest }: Transfer): Order => ({
  ...{ amount: '1000000', denom: chain.denom, chainId: chain.chainId, accountNumber: place, sequence: 0 },
  ...rest,
});

/** The bytes of a transfer between accounts of a sandbox. */
export const transferBytes = (sandbox: Pick<Sandbox, 'chain'>, transfer: Transfer) =>
  signedTxRaw(keyOf(sandbox, transfer.place), ordered(sandbox, transfer));

/** The same as the old chains sign it. */
export const transferStdTx = (sandbox: Pick<Sandbox, 'chain'>, transfer: Transfer) =>
  signedStdTx(keyOf(sandbox, transfer.place), ordered(sandbox, transfer));

/** Text of the bytes, as a modern node takes them. */
export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
