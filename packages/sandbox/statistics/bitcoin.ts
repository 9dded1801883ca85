import { type Answer, DAY, jsonReply, MINUTE, routed, SECOND, type Setting, textReply } from '../upstream.ts';
import { createChainFigures, DIFFICULTY } from './arweave.ts';

type At = { now: number };

const EPOCH = 2016; // blocks
const TARGET = 600; // seconds

/** The stand-in for mempool.space: the height, the difficulty adjustment and the hash rate of the last three days. */
export function createMempool({ seed, clock }: Setting) {
  const chain = createChainFigures(seed, 'bitcoin');
  const hashrate = Math.round((DIFFICULTY * 2 ** 32) / chain.blockSeconds);

  function adjustment({ now }: At): Answer {
    const height = chain.heightAt(now);
    const mined = height % EPOCH;
    const start = height - mined;
    const timeAvg = mined > 0 ? Math.floor((now - chain.blockAt(start)) / mined) : TARGET * SECOND;
    return jsonReply(200, { timeAvg, remainingBlocks: EPOCH - mined });
  }

  const routes = {
    'GET /blocks/tip/height': ({ now }: At) => textReply(200, String(chain.heightAt(now))),
    'GET /v1/difficulty-adjustment': adjustment,
    'GET /v1/mining/hashrate/3d': () => jsonReply(200, { currentHashrate: hashrate, currentDifficulty: DIFFICULTY }),
  };
  return routed('/mempool/api', clock, routes, ({ method, path }) => textReply(404, `Cannot ${method} ${path}`));
}

const SATOSHIS = 1e8;

/** The stand-in for blockchain.info: `GET /stats?format=json`. */
export function createBlockchainInfo({ seed, clock }: Setting) {
  const chain = createChainFigures(seed, 'bitcoin');

  function stats({ now }: At): Answer {
    const height = chain.heightAt(now);
    const mined = height - chain.heightAt(now - DAY);
    return jsonReply(200, {
      timestamp: Math.floor(now / SECOND) * SECOND,
      hash_rate: (DIFFICULTY * 2 ** 32) / chain.blockSeconds / 1e9,
      n_tx: chain.transactionsAt(now) - chain.transactionsAt(now - DAY),
      n_blocks_mined: mined,
      minutes_between_blocks: (chain.blockSeconds * SECOND) / MINUTE,
      totalbc: chain.supplyAt(now) * SATOSHIS,
      n_blocks_total: height,
      blocks_size: mined * chain.blockBytes,
      difficulty: DIFFICULTY,
    });
  }

  return routed('/bitcoin', clock, { 'GET /stats': stats }, () => jsonReply(404, { error: 'not-found' }));
}
