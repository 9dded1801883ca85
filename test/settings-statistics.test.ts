import { describe, expect, test } from 'vitest';
import type { SettingsError } from '#core/forms/setting-forms';
import { readSettings } from '#settings';

/** The configured sources, or the error. */
function read(env: Record<string, string>) {
  try {
    return readSettings(env).statistics.map(({ name, url }) => `${name} ${url}`);
  } catch (error) {
    return (error as SettingsError).faults;
  }
}

test('each chain has a second source by default', () => {
  const names = readSettings({}).statistics.map(({ name }) => name);
  expect(names).toEqual([
    'cryptocompare',
    ...['bitcoin-stats', 'bitcoin-mempool', 'ethereum-stats', 'ethereum-stats-2'],
    ...['solana-rpc', 'solana-rpc-2', 'arweave-node', 'arweave-node-2'],
  ]);
});

test('by default, the key for Ethereum is for Blockscout’s own service', () => {
  const { statistics } = readSettings({ ETHEREUM_STATS_API_KEY: 'proapi_x' });
  expect(statistics.filter(({ apiKey }) => apiKey !== undefined)).toEqual([
    {
      name: 'ethereum-stats-2',
      kind: 'ethereum-stats',
      url: 'https://api.blockscout.com/1/api/v2',
      apiKey: 'proapi_x',
    },
  ]);
});

test('URLs are separated by commas, with or without spaces and slashes at their ends', () => {
  const received = read({ ARWEAVE_URL: 'https://a.example/, http://b.example:1984/x' });
  expect(received.slice(-2)).toEqual(['arweave-node https://a.example', 'arweave-node-2 http://b.example:1984/x']);
  expect(read({ SOLANA_RPC_URL: 'https://a.example/?api-key=s3cret' })).toContain(
    'solana-rpc https://a.example/?api-key=s3cret',
  );
});

describe('reports an error in one line, without repeating the value', () => {
  test.each([
    ['SOLANA_RPC_URL', 'https://a.example,', 'SOLANA_RPC_URL.1 must be an http:// or https:// URL'],
    ['ARWEAVE_URL', 'arweave.net', 'ARWEAVE_URL.0 must be an http:// or https:// URL'],
    [
      'ARWEAVE_URL',
      'https://a.example/info',
      'ARWEAVE_URL.0 must not end in /stats or /info, because the service appends the path',
    ],
    [
      'BITCOIN_STATS_URL',
      'https://blockchain.info/stats?format=json',
      'BITCOIN_STATS_URL.0 must be a URL without a query or fragment',
    ],
    [
      'BITCOIN_STATS_URL',
      'https://blockchain.info,https://mempool.space',
      'BITCOIN_STATS_URL.1 must end in /api for a mempool server, as in https://mempool.space/api',
    ],
    [
      'BITCOIN_STATS_URL',
      'https://mempool.space/api/v1',
      'BITCOIN_STATS_URL.0 must end in /api for a mempool server, as in https://mempool.space/api',
    ],
    [
      'ETHEREUM_STATS_URL',
      'https://api.blockscout.com/1/api/v2/stats',
      'ETHEREUM_STATS_URL.0 must not end in /stats or /info, because the service appends the path',
    ],
    ['SOLANA_RPC_URL', Array(9).fill('https://a.example').join(), 'SOLANA_RPC_URL must contain at most 8 URLs'],
  ])('%s=%s', (name, value, fault) => {
    expect(read({ [name]: value })).toEqual([fault]);
  });

  test('reports a key that no URL uses', () => {
    const urls = 'https://a.example/api/v2,https://b.example/api/v2';
    expect(read({ ETHEREUM_STATS_API_KEY: 's3cret', ETHEREUM_STATS_URL: urls })).toEqual([
      'ETHEREUM_STATS_API_KEY is set, but ETHEREUM_STATS_URL is not: set ETHEREUM_STATS_URL to a URL such as https://api.blockscout.com/1/api/v2',
    ]);
  });
});
