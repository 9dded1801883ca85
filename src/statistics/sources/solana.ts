import { z } from 'zod';
import type { FailureCause } from '#upstream/failures/failure';
import { numberOrNumericString, type ReportedError, whole } from '#upstream/transport/json-response';
import { type FigureRules, figure, readableList, reportedFigures, sampleOf, statisticsSource } from './source.ts';

const LAMPORTS = 1e9;
/** The number of performance samples for the mean. There is one sample per minute, so they cover an hour. */
const SAMPLES = 60;
const MAX_SAMPLES = 720;
const epochInfo = z.object({ blockHeight: figure(whole), transactionCount: figure(whole) });
// The total in lamports exceeds a safe integer. The rounding error of about 1e-7 coins is insignificant.
const supply = z.object({ value: z.object({ total: figure(numberOrNumericString) }) });
const performanceSamples = readableList(z.object({ numSlots: whole, samplePeriodSecs: whole }), MAX_SAMPLES);

type Responses = {
  epoch: z.infer<typeof epochInfo>;
  supply: z.infer<typeof supply> | undefined;
  samples: z.infer<typeof performanceSamples> | undefined;
};

function meanSlot(samples: Responses['samples'] = []): number | null {
  const slots = samples.reduce((sum, { numSlots }) => sum + numSlots, 0);
  const seconds = samples.reduce((sum, { samplePeriodSecs }) => sum + samplePeriodSecs, 0);
  return slots > 0 ? seconds / slots : null;
}

/** A JSON-RPC 2.0 error (jsonrpc.org/specification), which often comes with HTTP 200. */
const errorResponse = z.object({ error: z.object({ code: z.number(), message: z.string().optional() }) });

/** Uses the specification's code ranges. Public nodes use 429 for their rate limit. */
function causeOf(code: number): FailureCause {
  if (code === 429) return 'rate_limited';
  const isInternal = code === -32603;
  const isOfTheServer = code >= -32099 && code <= -32000; // including -32005: the node is behind
  return isInternal || isOfTheServer ? 'server_error' : 'refused';
}

function errorIn(body: unknown): ReportedError | undefined {
  const { data } = errorResponse.safeParse(body);
  if (!data) return undefined;
  const { code, message } = data.error;
  return { message: `${code} ${message ?? ''}`.trim(), cause: causeOf(code) };
}

const RULES: FigureRules<Responses> = {
  block_height: ({ epoch }) => epoch.blockHeight,
  // The mean slot time of the last sixty performance samples, in seconds. A slot may have no block.
  block_time: ({ samples }) => meanSlot(samples),
  // The node reports lamports.
  current_supply: ({ supply }) => supply?.value.total && supply.value.total / LAMPORTS,
  // Successful transactions since genesis, not of the epoch as some documents state (`EpochInfo` in solana-epoch-info).
  transaction_count_all_time: ({ epoch }) => epoch.transactionCount,
};

/** A Solana RPC node. The sample's time is the time of the response. */
export const openSolanaRpc = statisticsSource({
  kind: 'solana-rpc',
  figuresByToken: { sol: reportedFigures(RULES) },
  errorIn,
  async take(send, { name, clock, sendOptional }) {
    const responseOf = <T>(schema: z.ZodType<T>) => z.object({ id: z.literal(1), result: schema });
    const requestOf = (method: string, ...params: unknown[]) => ({
      path: '',
      circuit: method,
      body: { jsonrpc: '2.0', id: 1, method, params },
    });
    // One call is made first, because a half-open circuit allows only a single probe.
    const { result: epoch } = await send(requestOf('getEpochInfo'), responseOf(epochInfo));
    const [total, samples] = await Promise.all([
      sendOptional(requestOf('getSupply', { excludeNonCirculatingAccountsList: true }), responseOf(supply)),
      sendOptional(requestOf('getRecentPerformanceSamples', SAMPLES), responseOf(performanceSamples)),
    ]);
    return sampleOf(name, RULES, { epoch, supply: total?.result, samples: samples?.result }, clock.now());
  },
});
