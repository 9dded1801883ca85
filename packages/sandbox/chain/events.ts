import { type Coin, coinsText } from './coin.ts';
import { SEND_TYPE, type Send, signersOf, type Transaction } from './transaction.ts';

type Attribute = { key: string; value: string };
export type ChainEvent = { type: string; attributes: Attribute[] };

const event = (type: string, attributes: Record<string, string>): ChainEvent => ({
  type,
  attributes: Object.entries(attributes).map(([key, value]) => ({ key, value })),
});

function transferEvents(from: string, to: string, coins: readonly Coin[]): ChainEvent[] {
  const amount = coinsText(coins);
  return [
    event('coin_spent', { spender: from, amount }),
    event('coin_received', { receiver: to, amount }),
    event('transfer', { recipient: to, sender: from, amount }),
    event('message', { sender: from }),
  ];
}

/** The events of the fee, which remain when the messages fail. `sequences` are those before the transaction. */
export function feeEvents(
  transaction: Transaction,
  collector: string,
  sequences: readonly number[],
): ChainEvent[] {
  const signers = signersOf(transaction);
  const [payer = ''] = signers;
  return [
    ...(transaction.fee.length > 0 ? transferEvents(payer, collector, transaction.fee) : []),
    event('tx', { fee: coinsText(transaction.fee) }),
    ...signers.map((signer, place) => event('tx', { acc_seq: `${signer}/${sequences[place]}` })),
    ...transaction.signatures.map(({ bytes }) =>
      event('tx', { signature: Buffer.from(bytes).toString('base64') }),
    ),
  ];
}

export const sendEvents = ({ from, to, amount }: Send): ChainEvent[] => [
  event('message', { action: SEND_TYPE }),
  ...transferEvents(from, to, amount),
  event('message', { module: 'bank' }),
];

/** Events as in logs: one for each type, sorted, with the attributes of all events of that type. */
export function groupByType(events: readonly ChainEvent[]): ChainEvent[] {
  const types = [...new Set(events.map(({ type }) => type))].sort();
  return types.map((type) => ({
    type,
    attributes: events.filter((each) => each.type === type).flatMap(({ attributes }) => attributes),
  }));
}
