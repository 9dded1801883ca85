import { expect, test } from 'vitest';
import { openArweaveNode } from '#statistics/sources/arweave';
import { sampleFrom } from '../../support/upstream/statistics-source.ts';
import { useUpstreamServer } from '../../support/upstream/use-upstream-server.ts';

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

const upstream = useUpstreamServer();

const sampled = (blocks: Blocks, info: object = { network: 'arweave.N.1', version: 5, height: 422250 }) =>
  sampleFrom(upstream, [openArweaveNode, 'ar'], ({ path }) => {
    if (path === '/info') return { body: JSON.stringify(info) };
    const block = blocks[Number(path.replace('/block/height/', ''))];
    return block ? { body: JSON.stringify(block) } : { status: 404, body: 'Block not found.' };
  });

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

test.each<[string, Blocks, object | undefined, string]>([
  ['a node that has joined no network', BLOCKS, { height: -1 }, 'unexpected'],
  ['a missing height', BLOCKS, {}, 'unexpected'],
  ['a block other than the requested one', { ...BLOCKS, 422250: BASE }, undefined, 'unexpected'],
  ['a missing block', { 421530: BASE }, undefined, 'refused'],
  ['an invalid time', { ...BLOCKS, 422250: { ...TIP, timestamp: '9'.repeat(15) } }, undefined, 'unexpected'],
])('%s is a failure', async (_name, blocks, info, reason) => {
  await expect(sampled(blocks, info)).rejects.toMatchObject({ upstream: 'arweave-node', reason });
});

test.each<[string, Blocks, string[]]>([
  ['a base other than the requested block', { ...BLOCKS, 421530: TIP }, ['block_time', 'block_size']],
  ['a missing base', { 422250: TIP }, ['block_time', 'block_size']],
  ['a time that decreases', { ...BLOCKS, 421530: { ...BASE, timestamp: 1686440919 } }, ['block_time']],
  ['a weave that shrinks', { ...BLOCKS, 421530: { ...BASE, weave_size: '9'.repeat(20) } }, ['block_size']],
  ['a difficulty in words', { ...BLOCKS, 422250: { ...TIP, diff: 'high' } }, ['difficulty']],
])('%s affects only its own figures', async (_name, blocks, lacking) => {
  const names = Object.keys((await sampled(BLOCKS)).figures).filter((name) => !lacking.includes(name));
  expect(Object.keys((await sampled(blocks)).figures)).toEqual(names);
});
