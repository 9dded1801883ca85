import { describe, expect, it } from 'vitest';
import { ChainClient, QuotientClient, type QuotientClientOptions, QuotientError } from '#client/index';

const MNEMONIC = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';

/** The URLs that a client requests. Each response is empty. */
async function requestedUrls(baseUrl: string, send: (client: QuotientClient) => Promise<unknown>) {
  const urls: string[] = [];
  const fetch: NonNullable<QuotientClientOptions['fetch']> = async (url) => {
    urls.push(url);
    return new Response('{}');
  };
  await send(new QuotientClient({ baseUrl, fetch })).catch(() => undefined);
  return urls;
}

describe('the base URL', () => {
  it.each([
    ['http://example.org', 'http://example.org/v1/user/data'],
    ['http://example.org/', 'http://example.org/v1/user/data'],
    ['https://example.org/market', 'https://example.org/market/v1/user/data'],
    ['https://example.org/market//', 'https://example.org/market/v1/user/data'],
    ['https://example.org/market/?', 'https://example.org/market/v1/user/data'],
    ['https://example.org/market#', 'https://example.org/market/v1/user/data'],
  ])('%s', async (baseUrl, expected) => {
    expect(await requestedUrls(baseUrl, (client) => client.user())).toEqual([expected]);
  });

  it.each(['', 'example.org', '/market', 'ftp://example.org', 'https://a:b@example.org', 'https://example.org?x=1'])(
    'is rejected: %o',
    (baseUrl) => {
      expect(() => new QuotientClient({ baseUrl })).toThrow(QuotientError);
    },
  );
});

describe('a URL key in the base URL', () => {
  const KEY = 'qu_EXAMPLEEXAMPLEEXAMPLEEXAMPLEKEYS000000';

  async function sent(options: Partial<QuotientClientOptions>) {
    const requests: { url: string; key: string | null }[] = [];
    const fetch: NonNullable<QuotientClientOptions['fetch']> = async (url, { headers }) => {
      requests.push({ url, key: new Headers(headers).get('x-api-key') });
      return new Response('{}');
    };
    const client = new QuotientClient({ baseUrl: `https://example.org/market/k/${KEY}/`, fetch, ...options });
    await client.latestPrice('bitcoin').catch(() => undefined);
    await client.health().catch(() => undefined);
    return requests;
  }

  it.each([{}, { apiKey: KEY }, { baseUrl: new URL(`https://example.org/market/k/${KEY}`) }])(
    'is sent in the header instead: %o',
    async (options) => {
      expect(await sent(options)).toEqual([
        { url: 'https://example.org/market/v1/prices/latest/token?tokenName=bitcoin', key: KEY },
        { url: 'https://example.org/market/health/ready', key: null },
      ]);
    },
  );

  it('is rejected beside another key', () => {
    expect(() => new QuotientClient({ baseUrl: `https://example.org/k/${KEY}`, apiKey: 'qt_a' })).toThrow(
      QuotientError,
    );
  });

  it('is a chain client’s key, too', async () => {
    const keys: (string | null)[] = [];
    const fetch: NonNullable<QuotientClientOptions['fetch']> = async (url, { headers }) => {
      keys.push(url, new Headers(headers).get('x-api-key'));
      return new Response('{}');
    };
    const chain = new ChainClient({ nodeUrl: `https://example.org/k/${KEY}/v1/node`, fetch });
    await chain.chainId().catch(() => undefined);
    expect(keys).toEqual(['https://example.org/v1/node/node_info', KEY]);
  });
});

it.each([{ timeout: 0 }, { timeout: Number.NaN }, { headers: { 'x-api-key': 'qt_a' } }, { retries: -1 }])(
  'rejects %o',
  (options) => {
    expect(() => new QuotientClient({ baseUrl: 'http://example.org', ...options })).toThrow(QuotientError);
  },
);

it('encodes the parameters', async () => {
  const registration = { name: 'Ada & Söhne', email: 'a+b@example.org', plan: 'monthly' } as const;
  const [url] = await requestedUrls('http://example.org', (client) => client.createUser(registration));
  expect(Object.fromEntries(new URL(String(url)).searchParams)).toEqual(registration);
});

describe('dates', () => {
  const dates = async (from: Date | string, thru: Date | string) => {
    const [url] = await requestedUrls('http://example.org', (client) => client.priceRange('bitcoin', { from, thru }));
    return url && new URL(url).searchParams.toString();
  };

  it('are accepted as a Date, by its UTC date, and as a string', async () => {
    const query = 'tokenName=bitcoin&fromDate=2024-01-31&thruDate=2024-02-29';
    expect(await dates('2024-01-31', '2024-02-29')).toBe(query);
    expect(await dates(new Date('2024-01-31T23:59:59.999Z'), new Date('2024-02-29T00:00:00Z'))).toBe(query);
  });

  it('are sent as DD-MM-YYYY to paths that require it', async () => {
    const [url] = await requestedUrls('http://example.org', (client) => client.priceOn('bitcoin', '2024-01-31'));
    expect(url).toContain('date=31-01-2024');
  });

  it.each(['31-01-2024', '2024-02-30', '2024-1-1', 'today', new Date(Number.NaN)])(
    'are rejected if invalid: %s',
    async (date) => {
      const client = new QuotientClient({ baseUrl: 'http://127.0.0.1:1' });
      await expect(client.priceOn('bitcoin', date)).rejects.toThrow(QuotientError);
    },
  );
});

describe('a secret', () => {
  it.each([{ mnemonic: MNEMONIC }, { privateKey: '00' }, { apiKey: MNEMONIC }, { seedPhrase: 'x' }])(
    'is rejected, and not in the error: %o',
    (options) => {
      const make = () => new QuotientClient({ baseUrl: 'http://example.org', ...options });
      expect(make).toThrow(/never accepts secrets/);
      expect(make).not.toThrow(/abandon/);
    },
  );

  it('is not in the error for a key that is invalid as a header value', () => {
    const make = () => new QuotientClient({ baseUrl: 'http://example.org', apiKey: 'qt_secret\nvalue' });
    expect(make).toThrow(QuotientError);
    expect(make).not.toThrow(/secret\nvalue/);
  });
});
