import { type Coin, coinsText, SEND_TYPE, type Send, signersOf, type Transaction } from './transaction.ts';

export type ChainEvent = { type: string; attributes: { key: string; value: string }[] };

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

/** These events remain even if the messages fail. `sequences` are the sequences before the transaction. */
export function feeEvents(transaction: Transaction, collector: string, sequences: readonly number[]): ChainEvent[] {
  const signers = signersOf(transaction);
  const [payer = ''] = signers;
  return [
    ...(transaction.fee.length > 0 ? transferEvents(payer, collector, transaction.fee) : []),
    event('tx', { fee: coinsText(transaction.fee) }),
    ...signers.map((signer, place) => event('tx', { acc_seq: `${signer}/${sequences[place]}` })),
    ...transaction.signatures.map(({ bytes }) => event('tx', { signature: Buffer.from(bytes).toString('base64') })),
  ];
}

export const sendEvents = ({ from, to, amount }: Send): ChainEvent[] => [
  event('message', { action: SEND_TYPE }),
  ...transferEvents(from, to, amount),
  event('message', { module: 'bank' }),
];

/** The events of a log: one for each type, sorted by type, with all attributes of that type. */
export function groupByType(events: readonly ChainEvent[]): ChainEvent[] {
  const types = [...new Set(events.map(({ type }) => type))].sort();
  return types.map((type) => ({
    type,
    attributes: events.filter((each) => each.type === type).flatMap(({ attributes }) => attributes),
  }));
}

/** `sequence`: the account's transactions in blocks. `publicKey`: null before the first transaction. */
export type Account = { number: number; sequence: number; publicKey: Uint8Array | null };

export function createLedger() {
  const accounts = new Map<string, Account & { balances: Map<string, bigint> }>();

  function add(address: string, coins: readonly Coin[], sign: 1n | -1n): void {
    const account = accounts.get(address) ?? {
      number: accounts.size,
      sequence: 0,
      publicKey: null,
      balances: new Map<string, bigint>(),
    };
    accounts.set(address, account);
    for (const { denom, amount } of coins) {
      account.balances.set(denom, (account.balances.get(denom) ?? 0n) + sign * amount);
    }
  }

  return {
    credit: (address: string, coins: readonly Coin[]) => add(address, coins, 1n),
    /** The caller must check the balance. */
    debit: (address: string, coins: readonly Coin[]) => add(address, coins, -1n),
    spend(address: string, publicKey: Uint8Array): void {
      const account = accounts.get(address);
      if (account) Object.assign(account, { publicKey, sequence: account.sequence + 1 });
    },
    account: (address: string): Account | null => accounts.get(address) ?? null,
    /** The balances, sorted by denom, without zeros. */
    balances: (address: string): Coin[] =>
      [...(accounts.get(address)?.balances ?? [])]
        .filter(([, amount]) => amount > 0n)
        .map(([denom, amount]) => ({ denom, amount }))
        .sort((a, b) => (a.denom < b.denom ? -1 : 1)),
  };
}

export type Ledger = ReturnType<typeof createLedger>;
