import { z } from 'zod';
import type { Clock } from '#core/clock';
import { usageRecord } from '#users/users-records';
import { defineTool } from '../tool.ts';
import { write } from '../tool-response.ts';

export const getUsage = (clock: Clock) =>
  defineTool({
    name: 'get_usage',
    title: 'Get usage',
    description: "The caller's allowance: limit, used and remaining calls, reset time, validity, calls per day. Free.",
    scope: 'any',
    input: z.object({}),
    output: usageRecord.omit({ keys: true, paths: true }),

    async call(_, { caller }) {
      const { keys: _keys, paths: _paths, ...data } = await caller.usage();
      const { daily, ...totals } = data;
      const rows = [...Object.entries(totals), ...daily.map(({ date, calls }): [string, number] => [date, calls])];
      return { written: write(data, ['figure', 'value'], rows), source: 'ledger', at: clock.now() };
    },
  });
