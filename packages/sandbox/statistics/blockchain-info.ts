import { jsonReply, routed } from '../core/replies.ts';
import { DAY, MINUTE, SECOND } from '../core/time.ts';
import type { Answer, Setting, UpstreamRequest } from '../core/upstream.ts';
import { createChainFigures, DIFFICULTY } from './chain-figures.ts';

const SATOSHIS = 1e8;
const RETARGET = 2016; // blocks

const page = (): Answer => ({
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!DOCTYPE html>\n<html><head><title>Bitcoin Stats</title></head><body></body></html>\n',
});

/** The stand-in for blockchain.info: `GET /stats?format=json`; without the format it sends a page. */
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
      nextretarget: Math.ceil((height + 1) / RETARGET) * RETARGET - 1,
      difficulty: DIFFICULTY,
    });
  }

  const routes = {
    '/stats': (now: number, { query }: UpstreamRequest) =>
      query.get('format') === 'json' ? stats(now) : page(),
  };
  return routed('/bitcoin', clock, routes, () => jsonReply(404, { error: 'not-found' }));
}
