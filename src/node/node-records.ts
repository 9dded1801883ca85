import { z } from 'zod';
import { text } from '#core/forms/record-fields';
import { BROADCAST_MODES } from '#cosmos/legacy-shapes';

/* OpenAPI schemas of the shapes in `packages/cosmos/legacy-shapes.ts`. Unknown members are preserved. */

const HASH = 'E19B011D20D862DA0BEA7F24E3BC6DFF666EE6E044FCD9BD95B073478086DBB6';
const ADDRESS = 'kava17wcggpjx007uc09s8y4hwrj8f228mlwe0n0upn';

const coin = z.object({
  denom: z.string().meta({ description: 'The denomination', examples: ['ukava'] }),
  amount: z.string().meta({
    description: 'The amount, an integer of up to 78 digits',
    pattern: '^\\d{1,78}$',
    examples: ['10000000'],
  }),
});

const whole = (description: string, example: string, digits = 20) =>
  z.string().meta({ description, pattern: `^\\d{1,${digits}}$`, examples: [example] });

export const nodeBalances = z
  .object({ height: whole('The height of the block at which the balances were read', '151980'), result: z.array(coin) })
  .meta({ id: 'NodeBalances', description: 'The balances of an address' });

export const nodeAccount = z
  .object({
    height: whole('The height of the block at which the account was read', '151980'),
    result: z.object({
      type: text(
        'The type of the account. A base account has the type `cosmos-sdk/Account`. Vesting and module accounts have additional members. In an account of any other type, the service searches for `account_number` and `sequence`, and returns null if it does not find them.',
        'cosmos-sdk/Account',
      ),
      value: z.looseObject({
        address: text('The address of the account; empty if the account does not exist', ADDRESS),
        coins: z.array(coin).meta({ description: 'The balances of the account' }),
        public_key: z.unknown().meta({
          description: "The public key in amino JSON; null before the account's first transaction",
          examples: [{ type: 'tendermint/PubKeySecp256k1', value: 'A21fdP6IbVC9hER5smiim8I4EbFeIF/bW81IKwmmsdjH' }],
        }),
        account_number: whole('The account number, which a signature requires', '7').nullable(),
        sequence: whole('The sequence for the signature of the next transaction', '42').nullable(),
      }),
    }),
  })
  .meta({ id: 'NodeAccount', description: 'The data of an account that a wallet needs to sign' });

export const nodeInfo = z
  .object({
    node_info: z.looseObject({ network: text('The chain ID', 'kava-3') }),
    application_version: z.looseObject({}).meta({
      description: 'The application version that the node reports',
      examples: [{ name: 'kava', version: '0.8.1' }],
    }),
  })
  .meta({ id: 'NodeInfo', description: 'The chain ID and the node versions' });

export const nodeBlock = z
  .object({
    block_id: z.looseObject({
      hash: z
        .string()
        .meta({ description: 'The block hash in uppercase hex', pattern: '^[0-9A-F]*$', examples: [HASH] }),
    }),
    block: z.looseObject({
      header: z.looseObject({
        chain_id: text('The chain ID', 'kava-3'),
        height: whole('The block height', '151980'),
        time: text('The block time (ISO 8601)', '2019-05-04T17:57:57Z'),
      }),
      data: z.looseObject({
        txs: z
          .array(z.string())
          .nullable()
          .meta({ description: 'The transactions of the block in base64; null if there are none', examples: [null] }),
      }),
    }),
  })
  .meta({ id: 'NodeBlock', description: 'A block. Hashes are in uppercase hex.' });

export const nodeTransaction = z
  .looseObject({
    height: whole('The height of the block that contains the transaction; 0 if no block contains it yet', '151980'),
    txhash: z.string().meta({
      description: 'The SHA-256 hash of the transaction bytes, in uppercase hex',
      pattern: '^[0-9A-F]{64}$',
      examples: [HASH],
    }),
    code: z
      .int()
      .positive()
      .optional()
      .meta({ description: 'The error code; omitted if the transaction succeeded', examples: [5] }),
    codespace: text('The namespace of the error code', 'sdk').optional(),
    raw_log: z
      .string()
      .optional()
      .meta({ examples: ['insufficient funds'] }),
    logs: z
      .array(z.unknown())
      .optional()
      .meta({ examples: [[{ msg_index: 0, success: true, log: '' }]] }),
    gas_wanted: whole('The gas limit', '100000').optional(),
    gas_used: whole('The gas used', '27678').optional(),
    tx: z
      .unknown()
      .optional()
      .meta({
        description:
          'The transaction as an amino `StdTx`. Transactions from modern nodes are converted. Messages of non-standard modules remain in protobuf JSON.',
        examples: [
          {
            type: 'cosmos-sdk/StdTx',
            value: { msg: [], fee: { amount: [], gas: '100000' }, signatures: [], memo: '' },
          },
        ],
      }),
    timestamp: text('The block time (ISO 8601)', '2019-05-04T17:57:57Z').optional(),
  })
  .meta({
    id: 'NodeTransaction',
    description: 'A transaction. Other members from the node are returned unchanged.',
  });

export const nodeSearch = z
  .object({
    total_count: whole('The total number of matching transactions', '1'),
    count: whole('The number of transactions on this page', '1'),
    page_number: whole('The page number, from 1', '1'),
    page_total: whole('The number of pages', '1'),
    limit: whole('The maximum number of transactions per page', '30'),
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
        description: 'A signed `StdTx` in amino JSON. The service encodes it to protobuf for modern nodes.',
        examples: [
          { msg: [], fee: { amount: [{ denom: 'ukava', amount: '1000' }], gas: '200000' }, signatures: [], memo: '' },
        ],
      }),
    tx_bytes: text('The bytes of a signed transaction in base64. Only modern nodes accept it.', 'CpABCo0B').optional(),
    mode: z.enum(BROADCAST_MODES).meta({
      description:
        'When the service responds: `async` immediately, `sync` after the node has checked the transaction, `block` when a block contains the transaction',
      examples: ['sync'],
    }),
  })
  .meta({ description: 'A signed transaction, either in `tx` or in `tx_bytes`' });

export const NODE_EXAMPLES = { hash: HASH, address: ADDRESS } as const;
