import { z } from 'zod';
import { BROADCAST_MODES } from '#domain/cosmos/legacy-shapes';

/*
 * What the node proxy takes and answers, as `domain/cosmos/legacy-shapes.ts` has it: the interface description is made
 * from these. Members that are not named here are kept.
 */

const HASH = 'E19B011D20D862DA0BEA7F24E3BC6DFF666EE6E044FCD9BD95B073478086DBB6';
const ADDRESS = 'kava17wcggpjx007uc09s8y4hwrj8f228mlwe0n0upn';

const text = (description: string, example: string) => z.string().meta({ description, examples: [example] });
const whole = (description: string, example: string, digits = 20) =>
  z.string().meta({ description, pattern: `^\\d{1,${digits}}$`, examples: [example] });

export const nodeBalances = z
  .object({
    height: whole('The block that the balances are of', '151980'),
    result: z.array(
      z.object({
        denom: text('The denomination', 'ukava'),
        amount: whole('How much of it, in as many as 78 digits', '10000000', 78),
      }),
    ),
  })
  .meta({ id: 'NodeBalances', description: 'Every balance of an address' });

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
          'An amino `StdTx` from a legacy node; from a modern one, its protobuf JSON: amino cannot be made of it without the types of the chain',
        examples: [
          { type: 'cosmos-sdk/StdTx', value: { msg: [], fee: { amount: [], gas: '100000' }, memo: '' } },
        ],
      }),
    timestamp: text('When its block was made (ISO 8601)', '2019-05-04T17:57:57Z').optional(),
  })
  .meta({
    id: 'NodeTransaction',
    description: 'A transaction; members that are not named here are the node’s',
  });

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
        description: 'A signed `StdTx` in amino JSON: for a legacy node',
        examples: [
          {
            msg: [],
            fee: { amount: [{ denom: 'ukava', amount: '1000' }], gas: '200000' },
            signatures: [],
            memo: '',
          },
        ],
      }),
    tx_bytes: text('A signed transaction in base64: for a modern node', 'CpABCo0B').optional(),
    mode: z.enum(BROADCAST_MODES).meta({
      description:
        '`async` waits for nothing, `sync` for the check of the node, `block` until the transaction is in a block',
      examples: ['sync'],
    }),
  })
  .meta({ description: 'A signed transaction: one of `tx` and `tx_bytes`' });

/** What a path of the node proxy has in it, as examples. */
export const NODE_EXAMPLES = { hash: HASH, address: ADDRESS } as const;
