import { expect, test } from 'vitest';
import { readResource } from '#upstream/resource';

test.each([
  ['latest', { kind: 'latest' }],
  ['kraken:latest', { kind: 'kraken:latest' }],
  ['chart:bitcoin', { kind: 'chart', token: 'bitcoin' }],
  ['chart:bitcoin:solana', { kind: 'chart:bitcoin:solana' }],
  ['kraken:hour:bitcoin', { kind: 'kraken', interval: 'hour', token: 'bitcoin' }],
  ['kraken:year:bitcoin', { kind: 'kraken:year:bitcoin' }],
  ['candles-purge:bitcoin:day', { kind: 'candles-purge', token: 'bitcoin', interval: 'day' }],
  ['constructor:bitcoin', { kind: 'constructor:bitcoin' }],
])('%s has its kind and its members', (resource, parts) => {
  expect(readResource(resource)).toEqual(parts);
});
