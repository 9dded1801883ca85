import { describe, expect, test } from 'vitest';
import { openEthereumStats } from '#statistics/sources/ethereum';
import { sampleFrom } from '../../support/upstream/statistics-source.ts';
import type { FakeResponse } from '../../support/upstream/upstream-server.ts';
import { useUpstreamServer } from '../../support/upstream/use-upstream-server.ts';

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

const upstream = useUpstreamServer();

async function sampled(stats: object, blocks: object | FakeResponse = BLOCKS) {
  const respondWith = (response: object): FakeResponse =>
    'body' in response ? (response as FakeResponse) : { body: JSON.stringify(response) };
  return sampleFrom(upstream, [openEthereumStats, 'eth', '/api/v2'], ({ path }) =>
    respondWith(path === '/api/v2/stats' ? stats : blocks),
  );
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
});

const OF_BLOCKS = ['block_height', 'block_size'];
test.each<[string, object, object | undefined, string[]]>([
  ['negative addresses', { total_addresses: '-5' }, undefined, ['unique_addresses_all_time']],
  ['endless digits', { total_transactions: '9'.repeat(400) }, undefined, ['transaction_count_all_time']],
  ['an object instead of a number', { average_block_time: {} }, undefined, ['block_time']],
  ['blocks in another format', {}, { blocks: [] }, OF_BLOCKS],
  ['an HTML page instead of the blocks', {}, { body: '<html></html>' }, OF_BLOCKS],
  ['an error at the second call', {}, { status: 500, body: '{}' }, OF_BLOCKS],
  ['a rate limit at the second call', {}, { status: 429, body: '{}' }, OF_BLOCKS],
  ['a block without a height', {}, { items: [...BLOCKS.items, { size: 5 }] }, []],
  ['a size in words', {}, { items: [...BLOCKS.items, { height: 5, size: 'big' }] }, ['block_size']],
])('%s affects only its own figures', async (_name, stats, blocks, lacking) => {
  const names = Object.keys((await sampled(DOCUMENTED)).figures).filter((name) => !lacking.includes(name));
  expect(Object.keys((await sampled({ ...DOCUMENTED, ...stats }, blocks)).figures)).toEqual(names);
});

test('has the time of the newest block if the explorer is days behind', async () => {
  const [newest, ...rest] = BLOCKS.items;
  const items = [
    { ...newest, timestamp: '2026-05-05T14:10:00.000000Z' },
    ...rest.map(({ timestamp: _, ...one }) => one),
  ];
  expect((await sampled(DOCUMENTED, { items })).at).toBe(Date.parse('2026-05-05T14:10:00Z'));
});

test.each([
  [250, { block_height: 249, block_size: 2 }],
  [251, {}],
  [300_000, {}],
])('a list of %d blocks', async (length, ofBlocks) => {
  const items = Array.from({ length }, (_, height) => ({ height, size: 2 }));
  const { figures } = await sampled({ total_addresses: '5' }, { items });
  expect(figures).toEqual({ unique_addresses_all_time: 5, ...ofBlocks });
});
