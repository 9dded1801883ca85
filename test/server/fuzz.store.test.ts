import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Document, published } from '../../fixtures/published.ts';
import { amount, longTimeout } from '../support/long.ts';
import { type Service, startService } from '../support/service/service.ts';
import { openConnection } from '../support/service/socket.ts';

const REQUESTS = amount(500, 10_000);
/** Another seed generates other requests. A failure prints the seed, so that it can be repeated. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);
/** Some calls end the key that makes them. */
const SPARE_KEYS = 100;

let service: Service;
let contract: ReturnType<typeof published>;
let connection: ReturnType<typeof openConnection>;
const keys: string[] = [];

beforeAll(async () => {
  service = await startService({
    settings: { LOG_LEVEL: 'error', BURST_PER_SECOND: '0', REGISTRATIONS_PER_MINUTE: '0' },
  });
  contract = published((await (await service.get('/openapi.json')).json()) as Document);
  connection = openConnection(service.url);
  for (let i = 0; i <= SPARE_KEYS; i++) keys.push(await service.createUser());
});

afterAll(async () => {
  connection?.close();
  await service?.close();
});

const latin1 = (max: number) =>
  fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: max }).map((codes) => String.fromCharCode(...codes));
const word = fc.string({ maxLength: 12 });
const long = fc.integer({ min: 1, max: 20_000 }).map((length) => 'x'.repeat(length));
const oneOf = (...values: string[]) => fc.constantFrom(...values);

/** Valid and almost valid values of a parameter. */
const LIKELY: Record<string, fc.Arbitrary<string>> = {
  tokenName: oneOf('bitcoin', 'ETHEREUM', 'solana', 'arweave', 'usd-coin', 'btc', 'dogecoin'),
  token: oneOf('btc', 'ETH', 'sol', 'ar', 'usdc', 'bitcoin'),
  days: fc.oneof(fc.integer({ min: -2, max: 400 }).map(String), oneOf('max', '1.5', '1e3', '36500', '36501')),
  date: fc.oneof(
    fc
      .date({ min: new Date('2012-01-01'), max: new Date('2028-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10).split('-').reverse().join('-')),
    oneOf('31-02-2024', '2024-01-31', '00-00-0000', '99-99-9999'),
  ),
  fromDate: fc.oneof(
    fc
      .date({ min: new Date('2012-01-01'), max: new Date('2028-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10)),
    oneOf('2024-02-31', '31-01-2024', '0000-00-00', '9999-12-31'),
  ),
  interval: oneOf('minute', 'hourly', 'daily', 'weekly'),
  format: oneOf('json', 'csv', 'CSV'),
  currency: oneOf('usd', 'USD', 'eur', 'jpy', 'btc', 'bgn', 'xyz'),
  name: fc.oneof(oneOf('Ada'), word),
  email: fc.oneof(oneOf('ada@example.org', 'ada'), word),
  plan: oneOf('monthly', 'yearly', 'weekly'),
  graceSeconds: oneOf('0', '300', '604800', '604801', '-1'),
  api: fc.integer({ min: 0, max: SPARE_KEYS }).map((index) => `{key ${index}}`),
  label: fc.oneof(oneOf('shop'), word),
  scopes: oneOf('prices', 'node', 'prices,node', 'account', ','),
  expiresAt: oneOf('2099-01-01T00:00:00Z', '2000-01-01T00:00:00Z', '2099-01-01', '2099-13-01T00:00:00Z'),
  dailyLimit: oneOf('1', '500', '500', '0', '2147483648'),
  by: oneOf('key', 'path', 'date'),
  id: fc.oneof(fc.integer({ min: 0, max: 200 }).map(String), oneOf('2147483648', '9999999999')),
  mnemonic: oneOf('abandon'),
};
LIKELY.thruDate = LIKELY.fromDate as fc.Arbitrary<string>;
LIKELY.vs_currency = LIKELY.currency as fc.Arbitrary<string>;

const encoded = (value: fc.Arbitrary<string>) => value.map((text) => encodeURIComponent(text.toWellFormed()));
const unlikely = fc.oneof(
  { weight: 4, arbitrary: encoded(fc.string({ unit: 'binary', maxLength: 20 })) },
  {
    weight: 2,
    arbitrary: oneOf(
      '',
      '__proto__',
      'constructor',
      '%00',
      '%zz',
      '%',
      '%E0%A4%A',
      '%0D%0AX:1',
      '[]',
      '&',
      '=',
      '%F0%9F%92%B0',
    ),
  },
  { weight: 1, arbitrary: long },
  { weight: 1, arbitrary: latin1(6) },
);

function value(name: string): fc.Arbitrary<string> {
  const likely = Object.hasOwn(LIKELY, name) ? LIKELY[name] : undefined;
  return likely ? fc.oneof({ weight: 8, arbitrary: encoded(likely) }, { weight: 1, arbitrary: unlikely }) : unlikely;
}

const pair = (name: string) => value(name).map((text) => `${name}=${text}`);
const otherCase = fc.constantFrom(...Object.keys(LIKELY)).map((name) => name.toUpperCase());
const stray = fc
  .oneof(fc.constantFrom(...Object.keys(LIKELY).filter((name) => name !== 'mnemonic')), otherCase, unlikely)
  .chain(pair);

/** The parameters of an operation, most of them valid, and additional ones. */
function query(names: string[]): fc.Arbitrary<string> {
  const own = names.map((name) => fc.option(pair(name), { freq: 15, nil: undefined }));
  const others = fc.oneof(
    { weight: 4, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.array(stray, { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom(['mnemonic=abandon'], ['&&', '?'], ['#', 'x=1'], ['a=1;b=2']) },
  );
  return fc.tuple(fc.tuple(...own), others).map(([mine, more]) => {
    const pairs = [...mine.filter((one) => one !== undefined), ...more];
    return pairs.length > 0 ? `?${pairs.join('&')}` : '';
  });
}

const elsewhere = fc.oneof(
  oneOf('/', '/v1', '//', '/v1/tokens/', '/%zz', '/v1/%', '*', '/docs/x', '/docs/static/x', '/v1/user/', '/../etc', ''),
  fc.array(unlikely, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`),
);

const HEADERS: Record<string, fc.Arbitrary<string>> = {
  accept: fc.oneof(
    oneOf(
      'text/csv',
      '*/*',
      'application/json',
      'text/html',
      'text/csv;q=0',
      '*/*;q=nonsense',
      ';',
      ',,,',
      'text/*;q=2',
    ),
    word,
  ),
  'if-none-match': fc.oneof(
    { weight: 4, arbitrary: oneOf('*') },
    { weight: 2, arbitrary: oneOf('"x"', 'W/"x", "y"', '"', ',') },
    { weight: 1, arbitrary: word },
  ),
  'x-request-id': fc.oneof(oneOf('my-id', '', 'x'.repeat(129), '{key 0}'), latin1(8)),
  'content-type': fc.oneof(oneOf('application/json', 'text/', 'nonsense', '', 'a/b;', ';'), word),
  origin: oneOf('https://example.org', 'null', ''),
  'sec-fetch-site': oneOf('cross-site', 'same-origin'),
  'accept-encoding': oneOf('gzip', 'br', 'nonsense', ''),
  cookie: long,
  expect: oneOf('nonsense'),
};
const header = fc
  .constantFrom(...Object.keys(HEADERS), 'if-none-match', 'if-none-match', 'if-none-match', 'if-none-match')
  .chain((name) => (HEADERS[name] as fc.Arbitrary<string>).map((text) => [name, text] as const));

const method = fc.oneof(
  { weight: 12, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: oneOf('HEAD') },
  {
    weight: 2,
    arbitrary: oneOf('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'get', 'NONSENSE'),
  },
);

const credential = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: SPARE_KEYS }) },
  { weight: 1, arbitrary: oneOf('', 'nonsense', `qt_${'0'.repeat(38)}`) },
  { weight: 1, arbitrary: fc.constant(undefined) },
);

const body = fc.option(fc.oneof(oneOf('{"broken', '{}', '\0', 'mnemonic=abandon'), latin1(40)), { freq: 4 });

/** A request for a described or an unknown operation. */
function request() {
  const operations = Object.entries(contract.document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, { parameters = [] }]) => ({
      path: fc.constant(path),
      verb: verb.toUpperCase(),
      names: parameters.map(({ name }) => name),
    })),
  );
  const priced = operations.filter(({ names }) => names.includes('tokenName'));
  // Few of their requests are valid.
  const creating = operations.filter(({ names }) => names.includes('email') || names.includes('label'));
  const target = fc.constantFrom(...operations, ...priced, ...priced, ...creating, ...creating, {
    path: elsewhere,
    verb: 'GET',
    names: [] as string[],
  });
  return target.chain(({ path, verb, names }) =>
    fc.record({
      path,
      query: query(names),
      method: method.map((other) => other ?? verb),
      credential,
      headers: fc.oneof(
        { weight: 1, arbitrary: fc.constant<(readonly [string, string])[]>([]) },
        { weight: 1, arbitrary: fc.array(header, { maxLength: 3 }) },
      ),
      body,
    }),
  );
}

const withKeys = (text: string) =>
  text.replace(/(?:\{|%7B)key(?: |%20)(\d+)(?:\}|%7D)/g, (_, index) => keys[index] ?? '');

it(`${REQUESTS} requests, valid and invalid, cause no 500 and no response that differs from the description`, {
  timeout: longTimeout,
}, async () => {
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(request(), async ({ path, query, method, credential, headers, body }) => {
      // The first key can only read, so that no request ends it.
      const spare =
        typeof credential === 'number' ? keys[method === 'GET' || method === 'HEAD' ? 0 : credential] : credential;
      const lines = [
        `${method} ${path}${withKeys(query)} HTTP/1.1`,
        'host: quotient',
        ...(spare === undefined ? [] : [`x-api-key: ${spare}`]),
        ...headers.map(([name, text]) => `${name}: ${withKeys(text)}`),
        ...(body === null ? [] : [`content-length: ${body.length}`]),
      ];
      const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`, 'latin1');
      const response = await connection.send([bytes], { isHead: method === 'HEAD' });
      seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
      expect(response.status).not.toBe(500);
      expect(response.body).not.toContain('abandon');
      // Bytes that are not a request get a response without a Date. It has a body for any method.
      const understood = response.headers.date === undefined ? 'GET' : method;
      const isPage = path.startsWith('/docs') && response.status === 200;
      if (!isPage) expect(contract.faults({ method: understood, path, ...response })).toEqual([]);
    }),
    { numRuns: REQUESTS, seed: SEED },
  );
  // Not all requests were rejected.
  for (const status of [200, 201, 304, 400, 401, 404, 405, 406, 414, 431, 503]) {
    expect(seen.get(status) ?? 0, `answers with ${status}`).toBeGreaterThan(0);
  }
  expect(seen.get(200)).toBeGreaterThan(REQUESTS / 10);
});
