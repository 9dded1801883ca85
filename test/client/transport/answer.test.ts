import { expect, it } from 'vitest';
import { describeAnswer } from '#client/transport/answer';

const sourcesOf = (source?: string) =>
  describeAnswer('GET', '/', new Response('', { headers: source ? { 'quotient-source': source } : {} })).sources;

it('reads the sources without their parameters', () => {
  expect(sourcesOf('kraken;age=12, coingecko;age=5400')).toEqual(['kraken', 'coingecko']);
  expect(sourcesOf('coingecko, kraken')).toEqual(['coingecko', 'kraken']);
  expect(sourcesOf()).toEqual([]);
});
