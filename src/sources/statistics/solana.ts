import { z } from 'zod';
import type { StatisticsSource } from '#domain/statistics/statistics';
import { createJsonRpc } from '#sources/transport/json-rpc';
import { listOf, maybe, numeric, whole } from '#sources/transport/number';
import { type FigureRules, figuresTold, sampleOf } from './chain-figures.ts';
import { openStatisticsUpstream, type StatisticsOptions, unlessRefused } from './source.ts';

const NAME = 'solana-rpc';
const LAMPORTS = 1e9;
/** Performance samples that the mean is taken over: they are one a minute, so an hour of them. */
const SAMPLES = 60;
/** A node gives no more of them, whatever it is asked for. */
const MOST_SAMPLES = 720;

const epochInfo = z.object({ blockHeight: whole, transactionCount: maybe(whole) });
// Lamports are above what a number holds exactly, by some 1e-7 of a coin: nothing that a figure in coins shows.
const supply = z.object({ value: z.object({ total: numeric }) });
const performanceSamples = listOf(z.object({ numSlots: whole, samplePeriodSecs: whole }), MOST_SAMPLES);

type Answers = {
  epoch: z.infer<typeof epochInfo>;
  supply: z.infer<typeof supply> | undefined;
  samples: z.infer<typeof performanceSamples> | undefined;
};

function meanSlot(samples: Answers['samples'] = []): number | null {
  const slots = samples.reduce((sum, { numSlots }) => sum + numSlots, 0);
  const seconds = samples.reduce((sum, { samplePeriodSecs }) => sum + samplePeriodSecs, 0);
  return slots > 0 ? seconds / slots : null;
}

/** Solana's JSON-RPC (solana.com/docs/rpc/http). */
export const SOLANA_FIGURES: FigureRules<Answers> = {
  block_height: { origin: '`blockHeight` of `getEpochInfo`', of: ({ epoch }) => epoch.blockHeight },
  block_time: {
    origin:
      'the sum of `samplePeriodSecs` divided by that of `numSlots`, of the last sixty samples of ' +
      '`getRecentPerformanceSamples`: the mean time of a slot. A slot may pass without a block',
    of: ({ samples }) => meanSlot(samples),
  },
  current_supply: {
    origin: '`value.total` of `getSupply`, lamports, divided by 1,000,000,000',
    of: (answers) => answers.supply && answers.supply.value.total / LAMPORTS,
  },
  transaction_count_all_time: {
    // Not of the epoch, as some describe it: so says the node's own type (`EpochInfo` of solana-epoch-info).
    origin: '`transactionCount` of `getEpochInfo`: those without error since genesis',
    of: ({ epoch }) => epoch.transactionCount,
  },
};

/** Statistics of Solana from an RPC node; the URL is the node's own. The sample's time is the moment of the answer. */
export function openSolanaRpc(options: StatisticsOptions): StatisticsSource {
  const { clock } = options;
  const tells = { sol: figuresTold(SOLANA_FIGURES) };
  const upstream = openStatisticsUpstream(NAME, tells, options);
  const rpc = createJsonRpc(NAME);

  function call<T>(schema: z.ZodType<T>, withinMs: number, method: string, ...params: unknown[]): Promise<T> {
    const question = { path: '', body: rpc.body(method, params), withinMs };
    return upstream.ask(question, (answer) => rpc.result(schema, answer, clock.now()));
  }

  return {
    name: NAME,
    tells,
    async sample(symbol, withinMs) {
      upstream.serving(symbol);
      const left = upstream.deadline(withinMs);
      // One call first: of a node that was left alone for a while no more than one may be asked.
      const epoch = await call(epochInfo, left(), 'getEpochInfo');
      const [total, samples] = await Promise.all([
        unlessRefused(call(supply, left(), 'getSupply', { excludeNonCirculatingAccountsList: true })),
        unlessRefused(call(performanceSamples, left(), 'getRecentPerformanceSamples', SAMPLES)),
      ]);
      return sampleOf(NAME, SOLANA_FIGURES, { epoch, supply: total, samples }, clock.now());
    },
    close: upstream.close,
  };
}
