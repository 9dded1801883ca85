import { z } from 'zod';
import { SECOND } from '#core/clock';
import type { Statistics } from '#statistics/statistics';
import { type TokenStatistics, tokenStatistics } from '#statistics/statistics-records';
import { statisticsToken, usd } from '#statistics/statistics-routes';
import { defineTool } from '../tool.ts';
import { isoTime, isoTimeSchema, resultFrom, write } from '../tool-response.ts';

function writeStatistics(record: TokenStatistics) {
  const data = { ...record, time: isoTime(record.time * SECOND) };
  const { reasons, ...figures } = data;
  const rows = Object.entries(figures).map(([name, value]) => [name, value ?? reasons[name] ?? null]);
  return write(data, ['figure', 'value'], rows);
}

export const getChainStatistics = (statistics: Pick<Statistics, 'latest'>) =>
  defineTool({
    name: 'get_chain_statistics',
    title: 'Get on-chain statistics',
    description:
      'On-chain statistics of one blockchain: addresses, transactions, block height, hashrate, difficulty, supply. Null if ' +
      'not reported. Not for prices. Costs 1 call.',
    scope: 'prices',
    cost: () => 1,
    input: z.object({
      token: statisticsToken.meta({ description: 'The chain, by its symbol' }),
      currency: usd.meta({ description: 'Only usd' }),
    }),
    output: tokenStatistics.extend({ time: isoTimeSchema }),

    call: ({ token }) => resultFrom(statistics.latest(token), writeStatistics),
  });
