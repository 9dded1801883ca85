import { z } from 'zod';
import { text } from '#core/record-fields';
import { BROADCAST_MODES } from '#cosmos/legacy-shapes';

/* As in `packages/cosmos/legacy-shapes.ts`, for the interface description. Unnamed members are kept. */

const HASH = 'E19B011D20D862DA0BEA7F24E3BC6DFF666EE6E044FCD9BD95B073478086DBB6';
const ADDRESS = 'kava17wcggpjx007uc09s8y4hwrj8f228mlwe0n0upn';

const coin = z.object({
  denom: z.string().meta({ description: 'The denomination', examples: ['ukava'] }),
  amount: z.string().meta({
    description: 'How much of it, in as many as 78 digits',
    pattern: '^\\d{1,78}$',
    examples: ['10000000'],
  }),
});

const whole = (description: string, example: string, digits = 20) =>
  z.string().meta({ description, pattern: `^\\d{1,${digits}}$`, examples: [example] });

export const nodeBalances = z
  .object({ height: whole('The block that the balances are of', '151980'), result: z.array(coin) })
  .meta({ id: 'NodeBalances', description: 'Every balance of an address' });

export const nodeAccount = z
  .object({
    height: whole('The block that it is of', '151980'),
    result: z.object({
      type: text(
        '`cosmos-sdk/Account` for one that holds nothing back; vesting and module accounts have further members',
        'cosmos-sdk/Account',
      ),
      value: z.looseObject({
        address: text('Empty for an account that does not exist', ADDRESS),
        coins: z.array(coin).meta({ description: 'Every balance of it' }),
        public_key: z.unknown().meta({
          description: 'In amino JSON; null before its first transaction',
          examples: [{ type: 'tendermint/PubKeySecp256k1', value: 'A21fdP6IbVC9hER5smiim8I4EbFeIF/bW81IKwmmsdjH' }],
        }),
        account_number: whole('What is signed', '7'),
        sequence: whole('What the next transaction is signed with', '42'),
      }),
    }),
  })
  .meta({ id: 'NodeAccount', description: 'What a wallet needs to know of its account to sign' });

export const nodeInfo = z
  .object({
    node_info: z.looseObject({ network: text('The id of the chain', 'kava-3') }),
    application_version: z.looseObject({}).meta({
      description: 'What the node says of its version',
      examples: [{ name: 'kava', version: '0.8.1' }],
    }),
  })
  .meta({ id: 'NodeInfo', description: 'The id of the chain, and the versions of the node that was asked' });

export const nodeBlock = z
  .object({
    block_id: z.looseObject({
      hash: z.string().meta({ description: 'In upper-case hex', pattern: '^[0-9A-F]*$', examples: [HASH] }),
    }),
    block: z.looseObject({
      header: z.looseObject({
        chain_id: text('The id of the chain', 'kava-3'),
        height: whole('Which block it is', '151980'),
        time: text('When it was made (ISO 8601)', '2019-05-04T17:57:57Z'),
      }),
      data: z.looseObject({
        txs: z
          .array(z.string())
          .nullable()
          .meta({ description: 'Its transactions in base64; null where there is none', examples: [null] }),
      }),
    }),
  })
  .meta({ id: 'NodeBlock', description: 'A block; hashes are in upper-case hex' });

export const nodeTransaction = z
  .looseObject({
    height: whole('The block it is in; 0 while it is in none', '151980'),
    txhash: z.string().meta({
      description: 'The SHA-256 of its bytes, in upper-case hex',
      pattern: '^[0-9A-F]{64}$',
      examples: [HASH],
    }),
    code: z
      .int()
      .positive()
      .optional()
      .meta({ description: 'Why it failed, or was refused; left out when it was not', examples: [5] }),
    codespace: text('What the code belongs to', 'sdk').optional(),
    raw_log: z
      .string()
      .optional()
      .meta({ examples: ['insufficient funds'] }),
    logs: z
      .array(z.unknown())
      .optional()
      .meta({ examples: [[{ msg_index: 0, success: true, log: '' }]] }),
    gas_wanted: whole('The gas it was given', '100000').optional(),
    gas_used: whole('The gas it took', '27678').optional(),
    tx: z
      .unknown()
      .optional()
      .meta({
        description:
          'An amino `StdTx`; of a modern node it is made of what it tells, and a message that is not of the standard modules keeps its protobuf JSON under its own type',
        examples: [
          {
            type: 'cosmos-sdk/StdTx',
            value: { msg: [], fee: { amount: [], gas: '100000' }, signatures: [], memo: '' },
          },
        ],
      }),
    timestamp: text('When its block was made (ISO 8601)', '2019-05-04T17:57:57Z').optional(),
  })
  .meta({ id: 'NodeTransaction', description: 'A transaction; members that are not named here are the node’s' });

export const nodeSearch = z
  .object({
    total_count: whole('How many there are', '1'),
    count: whole('How many are on this page', '1'),
    page_number: whole('This page, from 1', '1'),
    page_total: whole('How many pages there are', '1'),
    limit: whole('The most on a page', '30'),
    txs: z.array(nodeTransaction),
  })
  .meta({ id: 'NodeSearch', description: 'A page of transactions' });

export const nodeBroadcast = z
  .object({
    tx: z
      .unknown()
      .optional()
      .meta({
        type: 'object',
        description: 'A signed `StdTx` in amino JSON; it is encoded for a modern node',
        examples: [
          { msg: [], fee: { amount: [{ denom: 'ukava', amount: '1000' }], gas: '200000' }, signatures: [], memo: '' },
        ],
      }),
    tx_bytes: text('The bytes of a signed transaction in base64, which a modern node takes', 'CpABCo0B').optional(),
    mode: z.enum(BROADCAST_MODES).meta({
      description:
        '`async` waits for nothing, `sync` for the check of the node, `block` until the transaction is in a block',
      examples: ['sync'],
    }),
  })
  .meta({ description: 'A signed transaction: one of `tx` and `tx_bytes`' });

export const NODE_EXAMPLES = { hash: HASH, address: ADDRESS } as const;
