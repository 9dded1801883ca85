import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOUR } from '#core/clock';
import { FIGURES } from '#statistics/statistics-records';
import { STATISTICS_SYMBOLS } from '#statistics/statistics-sources';

import { startService } from '../support/service/service.ts';
import { KEYLESS, STATS, startWithStatistics, type WithStatistics } from '../support/service/statistics.ts';

let service: WithStatistics;
beforeAll(async () => {
  service = await startWithStatistics();
});
afterAll(() => service?.close());

const used = async () => {
  const response = await service.get('/v1/user/usage', { key: service.key });
  return ((await response.json()) as { used: number }).used;
};

const EXPECTED = {
  btc: 'cryptocompare',
  eth: 'cryptocompare',
  ar: 'arweave-node',
  sol: 'solana-rpc',
} as const;

describe.each(STATISTICS_SYMBOLS)('the statistics of %s', (token) => {
  test('have all members in order, from the source that lists the chain', async () => {
    const { status, record, source, header } = await service.stats(token);
    expect([status, source]).toEqual([200, EXPECTED[token]]);
    expect(Object.keys(record ?? {})).toEqual(['id', 'time', 'symbol', 'partner_symbol', ...FIGURES, 'reasons']);
    expect(record).toMatchObject({ symbol: token.toUpperCase(), partner_symbol: token.toUpperCase() });
    expect(record?.block_height).toBeGreaterThan(100_000);
    expect(header('last-modified')).toBe(new Date((record?.time ?? 0) * 1000).toUTCString());
  });

  test('are null for values that the source does not report, and contain all others', async () => {
    const { record, source } = await service.stats(token);
    const sources = service.parts.statisticsSources;
    const received = sources.find(({ name }) => name === source)?.figuresByToken[token] ?? [];
    for (const figure of FIGURES) expect(record?.[figure] !== null, figure).toBe(received.includes(figure));
    expect(record?.id !== null).toBe(source === 'cryptocompare');
    const nulls = ['id', ...FIGURES].filter((name) => record?.[name as 'id'] === null);
    expect(Object.keys(record?.reasons ?? {})).toEqual(nulls);
    if (token === 'sol') expect(record?.reasons).toMatchObject({ hashrate: 'not_applicable', id: 'not_reported' });
    if (token === 'ar') expect(record?.reasons).toMatchObject({ hashrate: 'not_reported' });
  });

  test('have a positive hash rate and difficulty, or null for a proof-of-stake chain', async () => {
    const { record, source } = await service.stats(token);
    const isMined = token === 'btc' || token === 'ar';
    const { hashrate, difficulty } = record ?? {};
    // An Arweave node provides no hash rate.
    const hasHashrate = isMined && source !== 'arweave-node';
    expect([hashrate, difficulty].map((figure) => (figure == null ? figure : figure > 0))).toEqual([
      hasHashrate || null,
      isMined || null,
    ]);
  });

  test('are the same in upper and lower case, and cost one call each', async () => {
    const before = await used();
    const lower = await service.stats(token);
    for (const same of [token.toUpperCase(), token[0]?.toUpperCase() + token.slice(1)]) {
      expect((await service.stats(same)).body).toBe(lower.body);
    }
    expect(await used()).toBe(before + 3);
  });
});

test.each(['token=usdc', 'token=doge', 'token=bitcoin', 'token=__proto__', 'token=', 'token=btc&token=eth', ''])(
  '%s is rejected, with the allowed values',
  async (query) => {
    const { status, code, body, header } = await service.ask(`${STATS}?${query}`);
    expect([status, code]).toEqual([400, 'invalid_request']);
    expect(JSON.parse(body).errors).toEqual([
      expect.objectContaining({ location: 'query.token', fix: expect.stringContaining('btc, ar, eth, sol') }),
    ]);
    expect(header('quotient-source')).toBeUndefined();
  },
);

test.each(['Token=btc', 'tokn=btc', 'tokenName=btc', 'symbol=btc'])(
  '%s is rejected, with the right name',
  async (query) => {
    const { code, body } = await service.ask(`${STATS}?${query}`);
    expect(code).toBe('invalid_request');
    expect(JSON.parse(body).errors).toEqual([
      expect.objectContaining({ location: 'query.token', fix: expect.stringMatching(/\btoken$/) }),
    ]);
  },
);

test('in euros are rejected', async () => {
  expect((await service.ask(`${STATS}?token=btc&currency=eur`)).code).toBe('invalid_request');
});

test('are a 304, free of charge, for a client that has them', async () => {
  const full = await service.stats('eth');
  const before = await used();
  const again = await service.stats('eth', { 'if-none-match': full.header('etag') ?? '' });
  expect([again.status, again.body]).toEqual([304, '']);
  for (const name of ['etag', 'cache-control', 'cache-status', 'age', 'last-modified', 'quotient-source']) {
    expect(again.header(name), name).toBe(full.header(name));
  }
  expect(await used()).toBe(before);
});

test('have headers with their age and the time of the next fetch', async () => {
  const first = await service.stats('sol');
  await service.pass(600_000);
  const later = await service.stats('sol');
  expect(Number(later.header('age'))).toBe(Number(first.header('age')) + 600);
  const ttl = HOUR / 1000 - Number(later.header('age'));
  expect(later.cache).toEqual({ cache: 'quotient', hit: true, ttl });
  expect(later.header('cache-control')).toBe('private, max-age=3600, stale-while-revalidate=60, stale-if-error=86400');
});

test('have a source header that other origins can read', async () => {
  const open = await startService({ settings: { CORS_ORIGINS: 'https://app.example.org' } });
  try {
    const headers = { origin: 'https://app.example.org' };
    const response = await open.get(`${STATS}?token=btc`, { key: await open.register(), headers });
    expect(response.headers.get('access-control-expose-headers')).toContain('Quotient-Source');
    expect(response.headers.get('quotient-source')).toBe('bitcoin-stats');
  } finally {
    await open.close();
  }
});

test('are announced in the list of tokens', async () => {
  const tokens = (await (await service.get('/v1/tokens')).json()) as {
    symbol: string;
    endpoints: string[];
  }[];
  const withStats = tokens.filter(({ endpoints }) => endpoints.includes(STATS));
  expect(withStats.map(({ symbol }) => symbol)).toEqual([...STATISTICS_SYMBOLS]);
  expect(tokens).toHaveLength(STATISTICS_SYMBOLS.length + 1);
});

test('have their calls counted by upstream and outcome', async () => {
  const text = await service.parts.metrics.text();
  expect(text).toContain('quotient_upstream_calls_total{upstream="cryptocompare",outcome="ok",cause=""} 2');
  expect(text).toContain(
    'quotient_upstream_calls_total{upstream="cryptocompare",outcome="failed",cause="not_listed"} 2',
  );
  expect(text).toMatch(/quotient_upstream_calls_total\{upstream="solana-rpc",outcome="ok",cause=""\} \d/);
});

describe('the API description', () => {
  test('lists for each token the values that each source reports and those that are null', async () => {
    const document = (await (await service.get('/openapi.json')).json()) as {
      paths: Record<string, { get: { description: string } }>;
      components: { headers: Record<string, { schema: { pattern: string } }> };
    };
    const { description } = document.paths[STATS]?.get ?? { description: '' };
    for (const token of STATISTICS_SYMBOLS) {
      const part = description.split(`\n* \`${token}\`\n`)[1]?.split('\n* ')[0] ?? '';
      const isMined = token === 'btc' || token === 'ar';
      const mining = part.split('\n').find((one) => one.includes('`cryptocompare`'));
      if (isMined) expect(mining).not.toContain('null: ');
      else expect(mining).toContain('null: `hashrate`, `difficulty`');
      const line = part.split('\n').find((one) => one.includes(`\`${KEYLESS[token]}\``));
      for (const figure of FIGURES) expect(line?.split(`\`${figure}\``), `${token} ${figure}`).toHaveLength(2);
      expect(line).toContain('; null: ');
    }
    const pattern = new RegExp(document.components.headers['Quotient-Source']?.schema.pattern ?? '');
    for (const name of ['cryptocompare', ...Object.values(KEYLESS), `${KEYLESS.sol}-2`]) {
      expect(name).toMatch(pattern);
    }
    expect('someone').not.toMatch(pattern);
  });
});
