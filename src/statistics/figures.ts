import { z } from 'zod';

const nullable = <Value extends z.ZodNumber>(value: Value, description: string, example: number) =>
  value.nullable().meta({ description: `${description}; null where the source does not tell`, examples: [example] });
const figure = (description: string, example: number) => nullable(z.number(), description, example);
/** An integer that a source may not report. */
export const tally = (description: string, example: number) => nullable(z.int(), description, example);

/** The figures of a statistics record, in its order: the record, the parsers and the stored values use this list. */
export const FIGURE_SCHEMAS = {
  zero_balance_addresses_all_time: tally('Addresses that once held something and hold nothing', 985144574),
  unique_addresses_all_time: tally('Addresses that ever appeared', 1027159686),
  new_addresses: tally('Addresses that first appeared in the last day', 417758),
  active_addresses: tally('Addresses that sent or received in the last day', 979238),
  average_transaction_value: figure('Mean value of a transaction of the last day, in coins', 15.41044161368356),
  block_height: tally('The height of the newest block', 747864),
  hashrate: figure('Terahashes a second (TH/s)', 199187870.17167962),
  difficulty: figure('The difficulty of a block, in the measure of its chain', 27692567959233.59),
  block_time: figure('Mean time between two blocks, in seconds', 597.1180555555553),
  block_size: tally('Mean size of a block, in whole bytes', 1292170),
  current_supply: figure('Coins there are', 19111662),
  transaction_count: tally('Transactions of the last day', 282037),
  transaction_count_all_time: tally('Transactions ever', 753969557),
  large_transaction_count: tally('Transactions of the last day worth more than 100,000 USD', 18486),
};

export type Figure = keyof typeof FIGURE_SCHEMAS;
export const FIGURES = Object.keys(FIGURE_SCHEMAS) as Figure[];
