import {
  type Answer,
  DAY,
  jsonReply,
  MINUTE,
  routed,
  SECOND,
  type Setting,
  textReply,
  type UpstreamRequest,
} from '../upstream.ts';
import { createChainFigures, DIFFICULTY } from './arweave.ts';

type At = { now: number };

const EPOCH = 2016; // blocks
const TARGET = 600; // seconds
const THREE_DAYS = 3 * 144; // blocks

/** The stand-in for mempool.space: the height, the difficulty adjustment and the hash rate of the last three days. */
export function createMempool({ seed, clock }: Setting) {
  const chain = createChainFigures(seed, 'bitcoin');
  const hashrate = Math.round((DIFFICULTY * 2 ** 32) / chain.blockSeconds);
  const secondsAt = (height: number) => Math.floor(chain.blockAt(height) / SECOND);

  function adjustment({ now }: At): Answer {
    const height = chain.heightAt(now);
    const mined = height % EPOCH;
    const start = height - (height % EPOCH);
    const remainingBlocks = EPOCH - mined;
    const timeAvg = mined > 0 ? Math.floor((now - chain.blockAt(start)) / mined) : TARGET * SECOND;
    return jsonReply(200, {
      progressPercent: (mined / EPOCH) * 100,
      difficultyChange: ((TARGET * SECOND) / timeAvg - 1) * 100,
      estimatedRetargetDate: now + remainingBlocks * timeAvg,
      remainingBlocks,
      remainingTime: remainingBlocks * timeAvg,
      previousRetarget: 0.5,
      previousTime: secondsAt(start),
      nextRetargetHeight: start + EPOCH,
      timeAvg,
      adjustedTimeAvg: timeAvg,
      timeOffset: 0,
      expectedBlocks: (now - chain.blockAt(start)) / SECOND / TARGET,
    });
  }

  function rates({ now }: At): Answer {
    const height = chain.heightAt(now);
    const start = height - (height % EPOCH);
    const days = [THREE_DAYS, (2 * THREE_DAYS) / 3, THREE_DAYS / 3];
    return jsonReply(200, {
      hashrates: days.map((back) => ({ timestamp: secondsAt(height - back), avgHashrate: hashrate })),
      difficulty: [{ time: secondsAt(start), height: start, difficulty: DIFFICULTY, adjustment: 1.005 }],
      currentHashrate: hashrate,
      currentDifficulty: DIFFICULTY,
    });
  }

  const routes = {
    'GET /blocks/tip/height': ({ now }: At) => textReply(200, String(chain.heightAt(now))),
    'GET /v1/difficulty-adjustment': adjustment,
    'GET /v1/mining/hashrate/3d': rates,
  };
  return routed('/mempool/api', clock, routes, ({ method, path }) => textReply(404, `Cannot ${method} ${path}`));
}

const SATOSHIS = 1e8;

const page = (): Answer => ({
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!DOCTYPE html>\n<html><head><title>Bitcoin Stats</title></head><body></body></html>\n',
});

/** The stand-in for blockchain.info: `GET /stats?format=json`. Without `format`, the response is an HTML page. */
export function createBlockchainInfo({ seed, clock }: Setting) {
  const chain = createChainFigures(seed, 'bitcoin');

  function stats(now: number): Answer {
    const height = chain.heightAt(now);
    const mined = height - chain.heightAt(now - DAY);
    return jsonReply(200, {
      timestamp: Math.floor(now / SECOND) * SECOND,
      market_price_usd: 90_000.5,
      hash_rate: (DIFFICULTY * 2 ** 32) / chain.blockSeconds / 1e9,
      n_btc_mined: mined * 3.125 * SATOSHIS,
      n_tx: chain.transactionsAt(now) - chain.transactionsAt(now - DAY),
      n_blocks_mined: mined,
      minutes_between_blocks: (chain.blockSeconds * SECOND) / MINUTE,
      totalbc: chain.supplyAt(now) * SATOSHIS,
      n_blocks_total: height,
      blocks_size: mined * chain.blockBytes,
      nextretarget: Math.ceil((height + 1) / EPOCH) * EPOCH - 1,
      difficulty: DIFFICULTY,
    });
  }

  const routes = {
    'GET /stats': ({ now, query }: At & UpstreamRequest) => (query.get('format') === 'json' ? stats(now) : page()),
  };
  return routed('/bitcoin', clock, routes, () => jsonReply(404, { error: 'not-found' }));
}
