import { z } from 'zod';
import { SECOND } from '#core/clock';
import { maybe, numeric, whole } from '#upstream/transport/number';
import { type FigureRules, figuresTold, sampleOf } from './chain-figures.ts';
import { statisticsSource } from './source.ts';

const TERAHASH = 1e12; // hashes

/** Blocks from one setting of the difficulty to the next. */
const EPOCH = 2016;

const adjustmentAnswer = z.object({ timeAvg: numeric, remainingBlocks: maybe(whole) });
const hashrateAnswer = z.object({ currentHashrate: numeric, currentDifficulty: numeric });

type Answers = {
  height: number;
  adjustment: z.infer<typeof adjustmentAnswer>;
  hashrate: z.infer<typeof hashrateAnswer>;
};

/** mempool's REST API (mempool.space/docs/api/rest), which is the same wherever it is hosted. */
const RULES: FigureRules<Answers> = {
  block_height: ({ height }) => height,
  // H/s.
  hashrate: ({ hashrate }) => hashrate.currentHashrate / TERAHASH,
  difficulty: ({ hashrate }) => hashrate.currentDifficulty,
  // Milliseconds: the mean of the blocks since the difficulty was last set. Before the first of them it is ten minutes,
  // which nobody has measured.
  block_time: ({ adjustment: { timeAvg, remainingBlocks } }) =>
    remainingBlocks === EPOCH ? null : timeAvg / SECOND,
};

/** Statistics of Bitcoin from mempool's API; the URL ends in `/api`. The sample's time is the moment of the answer. */
export const openMempool = statisticsSource({
  kind: 'bitcoin-mempool',
  figuresByToken: { btc: figuresTold(RULES) },
  async take(ask, { name, clock }) {
    // One call first: of a host whose circuit was open no more than one may be asked.
    const adjustment = await ask({ path: '/v1/difficulty-adjustment' }, adjustmentAnswer);
    const [height, hashrate] = await Promise.all([
      // A text that is the number alone.
      ask({ path: '/blocks/tip/height' }, whole),
      ask({ path: '/v1/mining/hashrate/3d' }, hashrateAnswer),
    ]);
    return sampleOf(name, RULES, { height, adjustment, hashrate }, clock.now());
  },
});
