import type { Coin } from '../legacy-shapes.ts';
import { coins, count, isMembers, list, type Members, members, string } from '../parsers.ts';
import { type AminoKey, aminoKey, toAmino } from './bech32.ts';
import { type AminoMessage, aminoMessage } from './message-tables.ts';

export type StdTx = {
  type: 'cosmos-sdk/StdTx';
  value: {
    msg: AminoMessage[];
    fee: { amount: Coin[]; gas: string; payer?: string; granter?: string };
    signatures: { pub_key: AminoKey | null; signature: string }[];
    memo: string;
    timeout_height?: string;
  };
};

const MAX_ELEMENTS = 10_000;

function signatureOf(signature: unknown, info: unknown): StdTx['value']['signatures'][number] {
  const text = string(signature, 'signature');
  const { public_key, mode_info } = isMembers(info) ? info : {};
  const multi = isMembers(mode_info) ? mode_info.multi : undefined;
  return { pub_key: aminoKey(public_key), signature: isMembers(multi) ? toAmino(multi, text) : text };
}

const ifPresent = (name: string, value: unknown) =>
  value === undefined || value === null || value === '' ? {} : { [name]: string(value, name) };

/** Converts a transaction from protobuf JSON to a `StdTx`. Throws `NodeFault` for an invalid transaction. */
export function stdTx({ body, auth_info, signatures }: Members): StdTx {
  const { messages, memo, timeout_height } = members(body, 'body');
  const { fee, signer_infos } = members(auth_info, 'auth_info');
  const { amount, gas_limit, payer, granter } = isMembers(fee) ? fee : {};
  const timeout = count(timeout_height, 'timeout_height');
  const infos = list(signer_infos, 'signer_infos', MAX_ELEMENTS);
  return {
    type: 'cosmos-sdk/StdTx',
    value: {
      msg: list(messages, 'messages', MAX_ELEMENTS).map(aminoMessage),
      fee: {
        amount: coins(amount),
        gas: count(gas_limit, 'gas_limit'),
        ...ifPresent('payer', payer),
        ...ifPresent('granter', granter),
      },
      signatures: list(signatures, 'signatures', MAX_ELEMENTS).map((one, i) => signatureOf(one, infos[i])),
      memo: string(memo ?? '', 'memo'),
      ...(timeout !== '0' && { timeout_height: timeout }),
    },
  };
}
