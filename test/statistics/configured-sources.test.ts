import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isStatisticsSource, keyedUrls, sourceOrder } from '#statistics/statistics-sources';

const CONFIGURATION = {
  cryptocompare: { url: 'https://c.example', apiKey: 'the-first' },
  bitcoin: ['https://a.example/api', 'https://b.example', 'http://c.example/x/api/', 'https://d.example/apis'],
  ethereum: ['https://e.example/api/v2', 'https://f.example/1/api/v2'],
  ethereumKey: 'the-second',
  solana: ['https://g.example/?api-key=secret', 'https://h.example'],
  arweave: ['https://i.example'],
};

test('sources are in the order of their URLs, each named by its kind and its index within the kind', () => {
  const line = sourceOrder(CONFIGURATION);
  expect(line.map(({ name, url }) => [name, url])).toEqual([
    ['cryptocompare', 'https://c.example'],
    ['bitcoin-mempool', 'https://a.example/api'],
    ['bitcoin-stats', 'https://b.example'],
    ['bitcoin-mempool-2', 'http://c.example/x/api/'],
    ['bitcoin-stats-2', 'https://d.example/apis'],
    ['ethereum-stats', 'https://e.example/api/v2'],
    ['ethereum-stats-2', 'https://f.example/1/api/v2'],
    ['solana-rpc', 'https://g.example/?api-key=secret'],
    ['solana-rpc-2', 'https://h.example'],
    ['arweave-node', 'https://i.example'],
  ]);
  expect(line.flatMap(({ name, apiKey }) => (apiKey ? [[name, apiKey]] : []))).toEqual([
    ['cryptocompare', 'the-first'],
    ['ethereum-stats-2', 'the-second'],
  ]);
});

test('names are those of sources, and are unique', () => {
  const urls = fc.array(fc.webUrl({ withQueryParameters: true }), { maxLength: 12 });
  fc.assert(
    fc.property(urls, urls, urls, (bitcoin, ethereum, solana) => {
      const names = sourceOrder({ ...CONFIGURATION, bitcoin, solana, ethereum }).map(({ name }) => name);
      expect(names.every(isStatisticsSource)).toBe(true);
      expect(new Set(names).size).toBe(names.length);
    }),
    { numRuns: 20 },
  );
  for (const other of ['solana-rpc-1', 'solana-rpc-0', 'solana-rpc-02', 'solana-rpc-', 'x-solana-rpc', '']) {
    expect(isStatisticsSource(other), other).toBe(false);
  }
});

test.each([
  [['https://api.blockscout.com/1/api/v2', 'https://eth.blockscout.com/api/v2'], [0]],
  [['https://eth.blockscout.com/api/v2', 'https://eth.example/api/v2'], []],
  [['http://127.0.0.1:9/x/1/api/v2/', 'http://127.0.0.1:9/1/api/v1', 'http://1/api/v2'], [0]],
  [['https://eth.example/?/1/api/v2', 'https://eth.example/#/1/api/v2'], []],
  [['https://proxy.example'], [0]],
])('a key is sent to the sources with the service’s URL, or to the only source: %j', (urls, places) => {
  expect(keyedUrls(urls)).toEqual(places.map((place) => urls[place]));
});
