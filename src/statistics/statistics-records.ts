import { z } from 'zod';
import { text } from '#core/forms/record-fields';
import { mapNames, memberNames } from '#core/names';

const nullable = <Value extends z.ZodNumber>(value: Value, description: string, example: number) =>
  value.nullable().meta({ description: `${description}; null if the source does not report it`, examples: [example] });
const figure = (description: string, example: number) => nullable(z.number(), description, example);
const tally = (description: string, example: number) => nullable(z.int(), description, example);

/** The figures of a statistics record, in order. The record, the parsers and the stored values use this list. */
const FIGURE_SCHEMAS = {
  zero_balance_addresses_all_time: tally('Addresses that once held coins and now have a zero balance', 985144574),
  unique_addresses_all_time: tally('All addresses that have been used at least once', 1027159686),
  new_addresses: tally('Addresses used for the first time in the last day', 417758),
  active_addresses: tally('Addresses that sent or received coins in the last day', 979238),
  average_transaction_value: figure('Average value of the transactions in the last day, in coins', 15.41044161368356),
  block_height: tally('The height of the newest block', 747864),
  hashrate: figure('Hash rate, in terahashes per second (TH/s)', 199187870.17167962),
  difficulty: figure('Mining difficulty, in the unit that the chain uses', 27692567959233.59),
  block_time: figure('Average time between blocks, in seconds', 597.1180555555553),
  block_size: tally('Average block size, in bytes', 1292170),
  current_supply: figure('Current supply, in coins', 19111662),
  transaction_count: tally('Transactions in the last day', 282037),
  transaction_count_all_time: tally('Number of transactions since the first block', 753969557),
  large_transaction_count: tally('Transactions in the last day with a value of more than 100,000 USD', 18486),
};

export type Figure = keyof typeof FIGURE_SCHEMAS;
export const FIGURES = memberNames(FIGURE_SCHEMAS);
export const NO_STATISTICS = mapNames(FIGURES, () => null);

export const storedStatistics = z.object({
  id: tally("The source's identifier for the chain", 1182),
  time: z.int().meta({ description: 'The time of the sample, in Unix seconds', examples: [1659484800] }),
  symbol: text('The token symbol, in uppercase', 'BTC'),
  partner_symbol: text(
    'The symbol that the source uses for the token; the same as `symbol` if the source has no symbol of its own',
    'BTC',
  ),
  ...FIGURE_SCHEMAS,
});
export type StoredStatistics = z.infer<typeof storedStatistics>;

/** Why a member is null. */
const NULL_REASONS = ['not_applicable', 'not_reported', 'pending', 'missing'] as const;
export type NullReason = (typeof NULL_REASONS)[number];

export const tokenStatistics = storedStatistics
  .extend({
    reasons: z.record(z.string(), z.enum(NULL_REASONS)).meta({
      description:
        'Why each null member is null: `not_applicable`, the chain has no such figure; `not_reported`, the source does ' +
        'not provide it; `pending`, it is the difference to a sample 24 hours earlier, which is not stored yet; ' +
        '`missing`, it was absent or malformed in the last response of the source',
      examples: [{}],
    }),
  })
  .meta({ id: 'TokenStatistics', description: 'On-chain statistics for a token' });
export type TokenStatistics = z.infer<typeof tokenStatistics>;
