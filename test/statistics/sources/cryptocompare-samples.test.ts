import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openCryptoCompare } from '#statistics/sources/cryptocompare';
import type { StatisticsOptions } from '#statistics/sources/source';
import { STATISTICS_SYMBOLS, type StatisticsSymbol } from '#statistics/statistics-sources';
import { sampleFrom } from '../../support/upstream/statistics-source.ts';
import { useUpstreamServer } from '../../support/upstream/use-upstream-server.ts';

const sample = (name: string) => readFileSync(new URL(`../../samples/cryptocompare/${name}`, import.meta.url), 'utf8');
const withKey = (options: StatisticsOptions) => openCryptoCompare({ ...options, apiKey: 'the-key' });

const upstream = useUpstreamServer();

const sampled = (body: string, symbol: StatisticsSymbol = 'btc', status = 200, open = withKey) =>
  sampleFrom(upstream, [open, symbol], () => ({ status, body }));

describe('a record', () => {
  test('has every value unchanged', async () => {
    const { Data } = JSON.parse(sample('latest.json'));
    const { id, time, symbol, partner_symbol, ...figures } = Data;
    expect(await sampled(sample('latest.json'))).toEqual({
      at: time * 1000,
      id,
      partnerSymbol: partner_symbol,
      figures,
    });
    expect(symbol).toBe('BTC');
  });

  test('of a proof-of-stake chain can lack the provider’s symbol and values, and has no mining values', async () => {
    expect(await sampled(sample('latest_with_gaps.json'), 'eth')).toEqual({
      at: 1778716800000,
      id: 7605,
      figures: { average_transaction_value: 0.45, block_height: 25000001, transaction_count: 1600000 },
    });
  });

  test.each([
    ['btc', true],
    ['ar', true],
    ['eth', false],
    ['sol', false],
  ] as const)('of %s has a hash rate and a difficulty: %s', async (symbol, isMined) => {
    const { figures } = await sampled(changed({ symbol: symbol.toUpperCase() }), symbol);
    expect(['hashrate' in figures, 'difficulty' in figures]).toEqual([isMined, isMined]);
  });

  test('of a proof-of-stake chain with only mining values is empty', async () => {
    const { Data } = JSON.parse(sample('latest.json'));
    const { id, time, hashrate, difficulty } = Data;
    const body = JSON.stringify({ Data: { id, time, symbol: 'ETH', hashrate, difficulty } });
    await expect(sampled(body, 'eth')).rejects.toMatchObject({ reason: 'empty' });
  });

  const changed = (change: object) => {
    const response = JSON.parse(sample('latest.json'));
    return JSON.stringify({ ...response, Data: { ...response.Data, ...change } });
  };
  test.each([
    ['a negative value', 'new_addresses', -1],
    ['a fraction of an address', 'active_addresses', 1.5],
    ['a number that is too large', 'transaction_count', '9'.repeat(40)],
    ['words', 'hashrate', 'fast'],
    ['an object', 'block_time', {}],
  ] as const)('with %s lacks only this figure', async (_name, figure, value) => {
    const { [figure]: _, ...others } = (await sampled(sample('latest.json'))).figures;
    expect(await sampled(changed({ [figure]: value }))).toMatchObject({ figures: others, malformed: [figure] });
    expect((await sampled(changed({ [figure]: value }))).figures).toEqual(others);
  });

  test.each([
    ['a symbol that cannot be stored', { partner_symbol: 'B\0TC' }],
    ['half of a surrogate pair', { partner_symbol: '\ud800' }],
    ['an endless symbol', { partner_symbol: 'B'.repeat(50_000) }],
    ['an ID in words', { id: 'first' }],
  ])('with %s lacks only this member', async (_name, change) => {
    const sound = await sampled(sample('latest.json'));
    const received = await sampled(changed(change));
    expect(received.figures).toEqual(sound.figures);
    expect(Object.keys(change).filter((name) => name.replace('_s', 'S') in received)).toEqual([]);
  });

  test.each([
    ['of another chain', changed({ symbol: 'LTC' }), 'unexpected'],
    ['without a time', changed({ time: undefined }), 'unexpected'],
    ['with a time in nanoseconds', changed({ time: 1778716800000000 }), 'unexpected'],
    ['larger than any record', changed({ partner_symbol: 'B'.repeat(100_000) }), 'too_large'],
    ['without a field', '{"Response":"Success","Data":{}}', 'empty'],
    ['without a value', changed(JSON.parse('{}')).replace(/"(\w+)":[\d.]+/g, '"$1":null'), 'unexpected'],
    ['that is truncated', sample('latest.json').slice(0, 300), 'not_json'],
  ])('%s is a failure', async (_name, body, reason) => {
    await expect(sampled(body)).rejects.toMatchObject({ upstream: 'cryptocompare', reason });
  });
});

describe('an error', () => {
  test.each([
    ['a missing key, with status 200', 200, 'error_older.json', 'refused'],
    ['a missing key, with status 401', 401, 'error_newer.json', 'refused'],
    ['a missing key, in the newer format with status 200', 200, 'error_newer.json', 'refused'],
    ['a rate limit with status 200', 200, 'error_rate_limit.json', 'rate_limited'],
    ['a rate limit with status 429', 429, 'error_rate_limit.json', 'rate_limited'],
    ['a chain that is not listed', 200, 'error_unknown_chain.json', 'not_listed'],
    ['a record with another status', 500, 'latest.json', 'server_error'],
  ])('%s has the right cause', async (_name, status, name, reason) => {
    await expect(sampled(sample(name), 'btc', status)).rejects.toMatchObject({
      name: 'UpstreamFailure',
      reason,
    });
  });

  test('is short in the log, however long the upstream’s text is', async () => {
    const body = JSON.stringify({ Response: 'Error', Message: 'm'.repeat(100_000), Type: 1 });
    const failure = await sampled(body).catch((error: Error) => error);
    expect((failure as Error).message.length).toBeLessThan(600);
  });
});

describe('the log', () => {
  test.each([
    JSON.stringify({ Response: 'Error', Message: 'no such key: the-key', Type: 1 }),
    JSON.stringify({ Err: { message: 'Apikey the-key is unknown' } }),
  ])('does not contain the key, even if the upstream repeats it: %s', async (body) => {
    const failure = (await sampled(body).catch((error: Error) => error)) as Error;
    expect(failure.message).toContain('(the key)');
    expect(failure.message).not.toContain('the-key');
  });

  test('does not contain symbols of any length', async () => {
    const response = JSON.parse(sample('latest.json'));
    response.Data.symbol = 'B'.repeat(100_000);
    const failure = (await sampled(JSON.stringify(response)).catch((error: Error) => error)) as Error;
    expect(failure.message.length).toBeLessThan(600);
  });
});

describe('a call', () => {
  test('sends the key only in its header, and the symbol in upper case', async () => {
    await sampled(sample('latest.json'));
    const call = upstream.calls.at(-1);
    expect(call).toMatchObject({ path: '/data/blockchain/latest', query: { fsym: 'BTC' } });
    expect(call?.headers.authorization).toBe('Apikey the-key');
  });

  test('without a key does not send the header', async () => {
    await sampled(sample('latest.json'), 'btc', 200, openCryptoCompare);
    expect(upstream.calls.at(-1)?.headers).not.toHaveProperty('authorization');
  });

  test.each(STATISTICS_SYMBOLS)(
    'is made for %s, because the upstream determines the list of chains',
    async (symbol) => {
      const response = sampled(sample('error_unknown_chain.json'), symbol);
      await expect(response).rejects.toMatchObject({ reason: 'not_listed', sent: true });
      expect(upstream.calls.at(-1)?.query).toEqual({ fsym: symbol.toUpperCase() });
    },
  );
});
