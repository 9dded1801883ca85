import { afterAll, beforeAll, expect, test } from 'vitest';
import { openArweaveNode } from '#statistics/sources/arweave';
import { openTestStatistics } from '../../support/upstream/statistics-source.ts';
import { startUpstreamServer, type UpstreamServer } from '../../support/upstream/upstream-server.ts';

type Blocks = Record<number, object | undefined>;

/** Block 422250, with which the node's documentation explains the format (docs.arweave.org, HTTP API). */
const TIP = {
  timestamp: 1586440919,
  last_retarget: 1586440919,
  diff: '115792089039110416381168389782714091630053560834545856346499935466490404274176',
  height: 422250,
  tags: [],
  reward_pool: 3026104059201252,
  weave_size: 407672420044,
  block_size: 937455,
  cumulative_diff: '99416580392277',
};
/** The earlier block 720. The values are synthetic, in the format of newer blocks. */
const BASE = { timestamp: TIP.timestamp - 720 * 125, height: 421530, weave_size: '406952420044', diff: '31' };
const BLOCKS: Blocks = { 422250: TIP, 421530: BASE };

let upstream: UpstreamServer;
beforeAll(async () => {
  upstream = await startUpstreamServer(() => ({ body: '{}' }));
});
afterAll(() => upstream.close());

async function sampled(blocks: Blocks, info: object = { network: 'arweave.N.1', version: 5, height: 422250 }) {
  upstream.follow(({ path }) => {
    if (path === '/info') return { body: JSON.stringify(info) };
    const block = blocks[Number(path.replace('/block/height/', ''))];
    return block ? { body: JSON.stringify(block) } : { status: 404, body: 'Block not found.' };
  });
  const source = openTestStatistics(openArweaveNode, upstream.url);
  try {
    return await source.sample('ar');
  } finally {
    await source.close();
  }
}

test('reads the documented block and an earlier block, in the service’s units', async () => {
  expect(await sampled(BLOCKS)).toEqual({
    at: Date.parse('2020-04-09T14:01:59Z'),
    figures: { block_height: 422250, difficulty: 584201377, block_time: 125, block_size: 1_000_000 },
  });
  expect(
    upstream.calls
      .slice(-3)
      .map(({ path }) => path)
      .sort(),
  ).toEqual(['/block/height/421530', '/block/height/422250', '/info']);
});

test('accepts a height in digits, as older nodes send it', async () => {
  expect((await sampled(BLOCKS, { height: '422250' })).figures.block_height).toBe(422250);
});

test('uses a whole chain that is shorter than the measured range', async () => {
  const blocks = {
    0: { height: 0, timestamp: 1000, weave_size: '0' },
    3: { height: 3, timestamp: 1360, weave_size: '1500' },
  };
  expect((await sampled(blocks, { height: 3 })).figures).toEqual({
    block_height: 3,
    block_time: 120,
    block_size: 500,
  });
});

test('values that the blocks do not contain are omitted', async () => {
  const { weave_size: _, ...older } = BASE;
  const { diff: __, ...tip } = TIP;
  expect((await sampled({ 422250: tip, 421530: older })).figures).toEqual({
    block_height: 422250,
    block_time: 125,
  });
});

test.each<[string, Blocks, object | undefined, string]>([
  ['a node that has joined no network', BLOCKS, { height: -1 }, 'unexpected'],
  ['a missing height', BLOCKS, {}, 'unexpected'],
  ['a block other than the requested one', { ...BLOCKS, 421530: TIP }, undefined, 'unexpected'],
  ['a missing block', { 422250: TIP }, undefined, 'refused'],
  ['a time that decreases', { ...BLOCKS, 421530: { ...BASE, timestamp: 1686440919 } }, undefined, 'unexpected'],
  ['a weave that shrinks', { ...BLOCKS, 421530: { ...BASE, weave_size: '9'.repeat(20) } }, undefined, 'unexpected'],
  ['a difficulty in words', { ...BLOCKS, 422250: { ...TIP, diff: 'high' } }, undefined, 'unexpected'],
  ['an invalid time', { ...BLOCKS, 422250: { ...TIP, timestamp: '9'.repeat(15) } }, undefined, 'unexpected'],
])('%s is a failure', async (_name, blocks, info, reason) => {
  await expect(sampled(blocks, info)).rejects.toMatchObject({ upstream: 'arweave-node', reason });
});
