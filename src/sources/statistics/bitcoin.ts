import { z } from 'zod';
import { MINUTE, SECOND } from '#domain/clock';
import type { StatisticsSource } from '#domain/statistics/statistics';
import { createJsonReader, errorText } from '#sources/transport/json-answer';
import { instant, maybe, numeric, whole } from '#sources/transport/number';
import { type FigureRules, figuresTold, sampleOf } from './chain-figures.ts';
import { openStatisticsUpstream, type StatisticsOptions } from './source.ts';

const NAME = 'bitcoin-stats';
const MILLISECOND = 1;
const SATOSHIS = 1e8;
const GIGAHASHES = 1e3; // in a terahash

const statsAnswer = z.object({
  timestamp: instant(MILLISECOND),
  n_blocks_total: maybe(whole),
  hash_rate: maybe(numeric),
  difficulty: maybe(numeric),
  minutes_between_blocks: maybe(numeric),
  blocks_size: maybe(numeric),
  n_blocks_mined: maybe(whole),
  totalbc: maybe(numeric),
  n_tx: maybe(whole),
});
type Stats = z.infer<typeof statsAnswer>;

/** The mean of a total over so many; nothing where either is missing, or there were none. */
const mean = (total?: number | null, count?: number | null) =>
  total != null && count ? total / count : null;

/**
 * blockchain.info's statistics are of the last 24 hours (blockchain.com/explorer/api/charts_api). What it calls an
 * estimate itself, the value of what was sent, is left out.
 */
export const BITCOIN_FIGURES: FigureRules<Stats> = {
  block_height: { origin: '`n_blocks_total`', of: (stats) => stats.n_blocks_total },
  hashrate: {
    origin: '`hash_rate`, GH/s, divided by 1,000',
    of: ({ hash_rate }) => hash_rate && hash_rate / GIGAHASHES,
  },
  difficulty: { origin: '`difficulty`, as it is', of: (stats) => stats.difficulty },
  block_time: {
    origin: '`minutes_between_blocks`, minutes, times 60',
    of: ({ minutes_between_blocks: minutes }) => minutes && minutes * (MINUTE / SECOND),
  },
  block_size: {
    origin: '`blocks_size` (bytes of the blocks of the last 24 hours) divided by `n_blocks_mined`',
    of: (stats) => mean(stats.blocks_size, stats.n_blocks_mined),
  },
  current_supply: {
    origin: '`totalbc`, satoshi, divided by 100,000,000',
    of: ({ totalbc }) => totalbc && totalbc / SATOSHIS,
  },
  transaction_count: { origin: '`n_tx`, of the last 24 hours', of: (stats) => stats.n_tx },
};

const read = createJsonReader(NAME, errorText);

/** Statistics of Bitcoin from blockchain.info, `GET /stats?format=json`. Its `timestamp` (ms) is the sample's time. */
export function openBitcoinStats(options: StatisticsOptions): StatisticsSource {
  const tells = { btc: figuresTold(BITCOIN_FIGURES) };
  const upstream = openStatisticsUpstream(NAME, tells, options);

  return {
    name: NAME,
    tells,
    async sample(symbol, withinMs) {
      upstream.serving(symbol);
      const left = upstream.deadline(withinMs);
      const question = { path: '/stats', query: { format: 'json' }, withinMs: left() };
      return upstream.ask(question, (answer) => {
        const stats = read(statsAnswer, answer, options.clock.now());
        return sampleOf(NAME, BITCOIN_FIGURES, stats, stats.timestamp);
      });
    },
    close: upstream.close,
  };
}
