import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEthereumStats } from '#statistics/sources/ethereum';
import { openTestStatistics } from '../../support/upstream/statistics-source.ts';
import { type Reply, startUpstreamServer, type UpstreamServer } from '../../support/upstream/upstream-server.ts';

/** The example of `GET /stats` in Blockscout's API description (docs.blockscout.com/api-reference). */
const DOCUMENTED = {
  total_blocks: '508700',
  total_addresses: '982340',
  total_transactions: '1699427',
  average_block_time: 25000,
  coin_price: '0.00254957',
  total_gas_used: '0',
  transactions_today: '622',
  gas_used_today: '49063630',
  gas_prices: { average: 10, fast: 10, slow: 10 },
  static_gas_price: '10.1',
  market_cap: '420471.1060455975064',
};
/** `GET /blocks` as described there. The heights and sizes are synthetic. */
const BLOCKS = {
  items: [
    { height: 508699, size: 1000, timestamp: '2026-05-15T14:10:00.000000Z', type: 'block' },
    { height: 508698, size: 2001, timestamp: '2026-05-15T14:09:35.000000Z', type: 'block' },
  ],
  next_page_params: { block_number: 508698, items_count: 2 },
};

let upstream: UpstreamServer;
beforeAll(async () => {
  upstream = await startUpstreamServer(() => ({ body: '{}' }));
});
afterAll(() => upstream.close());

async function sampled(stats: object, blocks: object | Reply = BLOCKS) {
  const reply = (answer: object): Reply => ('body' in answer ? (answer as Reply) : { body: JSON.stringify(answer) });
  upstream.follow(({ path }) => reply(path === '/api/v2/stats' ? stats : blocks));
  const source = openTestStatistics(openEthereumStats, `${upstream.url}/api/v2`);
  try {
    return await source.sample('eth');
  } finally {
    await source.close();
  }
}

test('reads the documented response, in the service’s units', async () => {
  expect(await sampled(DOCUMENTED)).toEqual({
    at: Date.parse('2026-05-15T14:10:06Z'),
    figures: {
      unique_addresses_all_time: 982340,
      block_height: 508699,
      block_time: 25,
      block_size: 1501,
      transaction_count: 622,
      transaction_count_all_time: 1699427,
    },
  });
  expect(upstream.calls.slice(-2).map(({ path, query }) => [path, query])).toEqual([
    ['/api/v2/stats', {}],
    ['/api/v2/blocks', { type: 'block' }],
  ]);
});

describe('omits values that are not reported', () => {
  test('omits zeros, which represent uncounted values', async () => {
    const zeros = {
      total_addresses: '0',
      total_transactions: '0',
      transactions_today: '0',
      average_block_time: 0,
    };
    const { figures } = await sampled({ ...DOCUMENTED, ...zeros });
    expect(figures).toEqual({ block_height: 508699, block_size: 1501 });
  });

  test.each([
    ['an explorer without a list of blocks', { status: 404, body: '{"message":"Not found"}' }],
    ['an empty list', { items: [] }],
  ])('%s', async (_name, blocks) => {
    const { figures } = await sampled(DOCUMENTED, blocks);
    expect(Object.keys(figures)).not.toContain('block_height');
    expect(figures.block_time).toBe(25);
  });

  test('accepts a block without a size', async () => {
    const { figures } = await sampled(DOCUMENTED, {
      items: [...BLOCKS.items, { height: 508697, size: null }],
    });
    expect(figures).not.toHaveProperty('block_size');
    expect(figures.block_height).toBe(508699);
  });
});

test.each<[string, object, object | undefined, string]>([
  ['negative addresses', { ...DOCUMENTED, total_addresses: '-5' }, undefined, 'unexpected'],
  ['endless digits', { ...DOCUMENTED, total_transactions: '9'.repeat(400) }, undefined, 'unexpected'],
  ['an object instead of a number', { ...DOCUMENTED, average_block_time: {} }, undefined, 'unexpected'],
  ['blocks in another format', DOCUMENTED, { blocks: [] }, 'unexpected'],
  ['an HTML page instead of the blocks', DOCUMENTED, { body: '<html></html>' }, 'not_json'],
  ['a rate limit at the second call', DOCUMENTED, { status: 429, body: '{}' }, 'rate_limited'],
])('%s is a failure', async (_name, stats, blocks, reason) => {
  await expect(sampled(stats, blocks)).rejects.toMatchObject({ upstream: 'ethereum-stats', reason });
});

test.each([
  [250, undefined],
  [251, 'unexpected'],
  [300_000, 'too_large'],
])('a list of %d blocks: %s', async (length, reason) => {
  const items = Array.from({ length }, (_, height) => ({ height, size: 2 }));
  const answer = sampled({ total_addresses: '5' }, { items });
  if (reason) await expect(answer).rejects.toMatchObject({ reason });
  else expect((await answer).figures).toMatchObject({ block_height: 249, block_size: 2 });
});
