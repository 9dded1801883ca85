import { expect, test } from 'vitest';
import { readResource } from '#upstream/resource';

test.each([
  ['latest', { kind: 'latest' }],
  ['kraken:latest', { kind: 'kraken:latest' }],
  ['chart:bitcoin', { kind: 'chart', token: 'bitcoin' }],
  ['kraken:hour:bitcoin', { kind: 'kraken', interval: 'hour', token: 'bitcoin' }],
  ['candles-purge:bitcoin:day', { kind: 'candles-purge', token: 'bitcoin', interval: 'day' }],
  ['unlisted:cryptocompare:sol', { kind: 'unlisted', source: 'cryptocompare', token: 'sol' }],
  ['constructor:bitcoin', { kind: 'constructor:bitcoin' }],
])('%s has its kind and its members', (resource, parts) => {
  expect(readResource(resource)).toEqual(parts);
});
