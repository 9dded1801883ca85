import { z } from 'zod';
import type { FailureCause } from '#upstream/failure';
import { listOf, maybe, numeric, type ReportedError, whole } from '#upstream/transport/json-answer';
import { type FigureRules, reportedFigures, sampleOf, statisticsSource, unlessRefused } from './source.ts';

const LAMPORTS = 1e9;
/** The number of performance samples for the mean. There is one sample per minute, so they cover an hour. */
const SAMPLES = 60;
const MOST_SAMPLES = 720;
const epochInfo = z.object({ blockHeight: whole, transactionCount: maybe(whole) });
// The total in lamports exceeds a safe integer. The rounding error of about 1e-7 coins is insignificant.
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

/** A JSON-RPC 2.0 error (jsonrpc.org/specification), which often comes with HTTP 200. */
const errorAnswer = z.object({ error: z.object({ code: z.number(), message: z.string().optional() }) });

/** Uses the specification's code ranges. Public nodes use 429 for their rate limit. */
function causeOf(code: number): FailureCause {
  if (code === 429) return 'rate_limited';
  const isInternal = code === -32603;
  const isOfTheServer = code >= -32099 && code <= -32000; // including -32005: the node is behind
  return isInternal || isOfTheServer ? 'server_error' : 'refused';
}

function errorIn(body: unknown): ReportedError | undefined {
  const { data } = errorAnswer.safeParse(body);
  if (!data) return undefined;
  const { code, message } = data.error;
  return { message: `${code} ${message ?? ''}`.trim(), cause: causeOf(code) };
}

const RULES: FigureRules<Answers> = {
  block_height: ({ epoch }) => epoch.blockHeight,
  // In seconds: the mean slot time of the last sixty performance samples. A slot may have no block.
  block_time: ({ samples }) => meanSlot(samples),
  // The node reports lamports.
  current_supply: (answers) => answers.supply && answers.supply.value.total / LAMPORTS,
  // Successful transactions since genesis, not of the epoch as some documents state (`EpochInfo` in solana-epoch-info).
  transaction_count_all_time: ({ epoch }) => epoch.transactionCount,
};

/** A Solana RPC node. The sample's time is the time of the response. */
export const openSolanaRpc = statisticsSource({
  kind: 'solana-rpc',
  figuresByToken: { sol: reportedFigures(RULES) },
  errorIn,
  async take(send, { name, clock }) {
    const call = <T>(schema: z.ZodType<T>, method: string, ...params: unknown[]) => {
      const answer = z.object({ id: z.literal(1), result: schema });
      const request = { path: '', body: { jsonrpc: '2.0', id: 1, method, params } };
      return send(request, answer, ({ result }) => result);
    };
    // One call is made first, because a half-open circuit allows only a single probe.
    const epoch = await call(epochInfo, 'getEpochInfo');
    const [total, samples] = await Promise.all([
      unlessRefused(call(supply, 'getSupply', { excludeNonCirculatingAccountsList: true })),
      unlessRefused(call(performanceSamples, 'getRecentPerformanceSamples', SAMPLES)),
    ]);
    return sampleOf(name, RULES, { epoch, supply: total, samples }, clock.now());
  },
});
