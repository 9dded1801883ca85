import { z } from 'zod';
import { MINUTE, SECOND } from '#core/clock';
import { instant, numberOrNumericString, whole } from '#upstream/transport/json-response';
import { type FigureRules, figure, reportedFigures, rounded, sampleOf, statisticsSource } from './source.ts';

const MILLISECOND = 1;
const SATOSHIS = 1e8;
const GIGAHASHES = 1e3; // in a terahash

const statsResponse = z.object({
  timestamp: instant(MILLISECOND),
  n_blocks_total: figure(whole),
  hash_rate: figure(numberOrNumericString),
  difficulty: figure(numberOrNumericString),
  minutes_between_blocks: figure(numberOrNumericString),
  blocks_size: figure(numberOrNumericString),
  n_blocks_mined: figure(whole),
  totalbc: figure(numberOrNumericString),
  n_tx: figure(whole),
});

/** The last 24 hours (blockchain.com/explorer/api/charts_api). Omits the value sent, which the API only estimates. */
const RULES: FigureRules<z.infer<typeof statsResponse>> = {
  block_height: ({ n_blocks_total }) => n_blocks_total,
  // The API reports GH/s.
  hashrate: ({ hash_rate }) => hash_rate && hash_rate / GIGAHASHES,
  difficulty: ({ difficulty }) => difficulty,
  // The API reports minutes.
  block_time: ({ minutes_between_blocks: minutes }) => minutes && minutes * (MINUTE / SECOND),
  // The total size of the last 24 hours' blocks in bytes, divided by the number of these blocks.
  block_size: ({ blocks_size: bytes, n_blocks_mined: blocks }) =>
    rounded(bytes != null && blocks ? bytes / blocks : null),
  // The API reports satoshis.
  current_supply: ({ totalbc }) => totalbc && totalbc / SATOSHIS,
  // The number of transactions in the last 24 hours.
  transaction_count: ({ n_tx }) => n_tx,
};

/** blockchain.info, `GET /stats?format=json`. The sample's time is its `timestamp` (ms). */
export const openBitcoinStats = statisticsSource({
  kind: 'bitcoin-stats',
  figuresByToken: { btc: reportedFigures(RULES) },
  take: (send, { name }) =>
    send({ path: '/stats', query: { format: 'json' } }, statsResponse, (stats) =>
      sampleOf(name, RULES, stats, stats.timestamp),
    ),
});

const TERAHASH = 1e12; // hashes

const EPOCH = 2016;
const adjustmentResponse = z.object({ timeAvg: figure(numberOrNumericString), remainingBlocks: figure(whole) });
const hashrateResponse = z.object({
  currentHashrate: figure(numberOrNumericString),
  currentDifficulty: figure(numberOrNumericString),
});

type Responses = {
  height: number | null;
  adjustment: z.infer<typeof adjustmentResponse>;
  /** Undefined if the server has no mining API. */
  hashrate: z.infer<typeof hashrateResponse> | undefined;
};

/** mempool's REST API (mempool.space/docs/api/rest), which is the same on every host. */
const MEMPOOL_RULES: FigureRules<Responses> = {
  block_height: ({ height }) => height,
  // The API reports H/s.
  hashrate: ({ hashrate }) => hashrate?.currentHashrate && hashrate.currentHashrate / TERAHASH,
  difficulty: ({ hashrate }) => hashrate?.currentDifficulty,
  // The mean since the last adjustment, reported in ms. Before an epoch's first block, mempool reports a nominal ten
  // minutes.
  block_time: ({ adjustment: { timeAvg, remainingBlocks } }) =>
    remainingBlocks === EPOCH ? null : timeAvg && timeAvg / SECOND,
};

/** mempool's API. The URL ends in `/api`. The sample's time is the time of the response. */
export const openMempool = statisticsSource({
  kind: 'bitcoin-mempool',
  figuresByToken: { btc: reportedFigures(MEMPOOL_RULES) },
  async take(send, { name, clock, sendOptional }) {
    // One call is made first, because a half-open circuit allows only a single probe.
    const adjustment = await send({ path: '/v1/difficulty-adjustment' }, adjustmentResponse);
    const [height, hashrate] = await Promise.all([
      send({ path: '/blocks/tip/height' }, figure(whole)),
      sendOptional({ path: '/v1/mining/hashrate/3d' }, hashrateResponse),
    ]);
    return sampleOf(name, MEMPOOL_RULES, { height, adjustment, hashrate }, clock.now());
  },
});
