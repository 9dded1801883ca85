import { jsonReply, routed, textReply } from '../core/replies.ts';
import { SECOND } from '../core/time.ts';
import type { Answer, Setting } from '../core/upstream.ts';
import { createChainFigures, DIFFICULTY } from './chain-figures.ts';

const EPOCH = 2016; // blocks
const TARGET = 600; // seconds
const THREE_DAYS = 3 * 144; // blocks

/** The stand-in for mempool.space's API: the newest height, the running adjustment, and the hash rate of three days. */
export function createMempool({ seed, clock }: Setting) {
  const chain = createChainFigures(seed, 'bitcoin');
  const hashrate = Math.round((DIFFICULTY * 2 ** 32) / chain.blockSeconds);
  const secondsAt = (height: number) => Math.floor(chain.blockAt(height) / SECOND);

  function adjustment(now: number): Answer {
    const height = chain.heightAt(now);
    const [mined, start] = [height % EPOCH, height - (height % EPOCH)];
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

  function rates(now: number): Answer {
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
    '/blocks/tip/height': (now: number) => textReply(200, String(chain.heightAt(now))),
    '/v1/difficulty-adjustment': adjustment,
    '/v1/mining/hashrate/3d': rates,
  };
  return routed('/mempool/api', clock, routes, ({ method, path }) =>
    textReply(404, `Cannot ${method} ${path}`),
  );
}
