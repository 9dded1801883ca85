import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY } from '#core/clock';
import { type Service, startService } from '../support/service/service.ts';
import { exchange } from '../support/service/socket.ts';

let service: Service;
let key: string;

beforeAll(async () => {
  service = await startService({ settings: { BURST_PER_SECOND: '0', REGISTRATIONS_PER_MINUTE: '0' } });
  key = await service.register();
});

afterAll(() => service?.close());

/** The numbers of stored users, keys, charged calls and samples. */
async function stored() {
  const { user, apiKey, usageDay, point } = service.database.prisma;
  return {
    users: await user.count(),
    keys: await apiKey.count(),
    calls: (await usageDay.aggregate({ _sum: { calls: true } }))._sum.calls ?? 0,
    points: await point.count(),
  };
}

type Sent = { method?: string; headers?: Record<string, string>; body?: (string | Buffer)[] };

/** Sends exactly these bytes, with the key. */
async function send(target: string, { method = 'GET', headers, body = [] }: Sent = {}) {
  const lines = Object.entries({ host: 'quotient', 'x-api-key': key, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
  const response = await exchange(service.url, head, ...body);
  expect(response.headers['content-type'], `${response.status} ${response.body}`).toBe(
    'application/problem+json; charset=utf-8',
  );
  expect(response.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]+$/);
  expect(response.headers['cache-control']).toBe('no-store');
  const problem = JSON.parse(response.body) as {
    code: string;
    status: number;
    errors?: { location: string }[];
  };
  expect(problem.status).toBe(response.status);
  return { ...response, code: problem.code, locations: problem.errors?.map(({ location }) => location) };
}

/** Expects that a request does not change the database. */
async function refused(...request: Parameters<typeof send>) {
  const before = await stored();
  const response = await send(...request);
  expect(await stored()).toEqual(before);
  return response;
}

const isoDate = (at: number) => new Date(at).toISOString().slice(0, 10);
const tomorrow = isoDate(Date.now() + DAY);

describe('parameters', () => {
  const days = (value: string) => `/v1/prices/history/days?tokenName=bitcoin&days=${value}`;
  const date = (value: string) => `/v1/prices/history/date?tokenName=bitcoin&date=${value}`;
  const range = (from: string, thru: string) =>
    `/v1/prices/history/date/range?tokenName=bitcoin&fromDate=${from}&thruDate=${thru}`;
  const create = (name: string, email = 'ada@example.org', plan = 'monthly') =>
    `/v1/user/create?name=${name}&email=${email}&plan=${plan}`;

  const [LAST_WEEK, YESTERDAY] = [isoDate(Date.now() - 7 * DAY), isoDate(Date.now() - DAY)];
  const RANGE = `fromDate=${LAST_WEEK}&thruDate=${YESTERDAY}`;
  it.each([
    [`tokenName=bitcoin&fromDate=${LAST_WEEK}&toDate=${YESTERDAY}`, 'thruDate'],
    [`tokenName=bitcoin&startDate=${LAST_WEEK}&thruDate=${YESTERDAY}`, 'fromDate'],
    [`coin=bitcoin&${RANGE}`, 'tokenName'],
    [`tokenname=bitcoin&${RANGE}`, 'tokenName'],
    [`tokenName=bitcoin&${RANGE}&TOKENNAME=ethereum`, 'tokenName'],
    [`tokenName=bitcoin&${RANGE}&Interval=hourly`, 'interval'],
    [`tokenName=bitcoin&${RANGE}&curency=eur`, 'currency'],
    [`tokenName=bitcoin&${RANGE}&fromat=csv`, 'format'],
  ])('%s responds with 400 and the name of the parameter', async (query, name) => {
    const { code, body } = await refused(`/v1/prices/history/date/range?${query}`);
    expect(code).toBe('invalid_request');
    const faults = JSON.parse(body).errors as { location: string; fix: string }[];
    expect(faults).toEqual([expect.objectContaining({ location: `query.${name}` })]);
    expect(faults[0]?.fix).toMatch(new RegExp(`\\b${name}$`));
  });

  const LATEST = '/v1/prices/latest/token?tokenName=bitcoin';
  const TABLE = '/v1/prices/latest/tokens?tokenNames=bitcoin';
  const STREAM = '/v1/prices/stream?tokenNames=bitcoin';
  const STATS = '/v1/prices/latest/stats?token=btc';
  const CANDLES = `/v1/prices/history/ohlc?tokenName=bitcoin&${RANGE}`;
  const DAYS = days('7');
  const DATE = date('01-01-2026');
  const CURRENCIES = [
    ...['vs_currencies', 'convert', 'tsyms', 'quote', 'currency[]', 'amp;currency', 'VS_CURRENCIES'],
    ...['quoteAsset', 'quoteCurrency', 'quote-currency', 'fiat', 'vs', 'target'],
  ];
  const TOKENS = ['coin', 'id', 'ids', 'symbol', 'symbols', 'Symbols', 'ids[]'];
  it.each([
    ...CURRENCIES.map((name) => [`${LATEST}&${name}=eur`, 'currency']),
    ...TOKENS.map((name) => [`${LATEST}&${name}=ethereum`, 'tokenName']),
    ...[TABLE, STREAM, STATS, CANDLES, DAYS, DATE].flatMap((path) => [
      [`${path}&quote=eur`, 'currency'],
      [`${path}&ids=ethereum`, /token(Names?)?=/.exec(path)?.[0].slice(0, -1)],
    ]),
    ...['from', 'start', 'startTime'].flatMap((name) => [
      [`${CANDLES}&${name}=2020-01-01`, 'fromDate'],
      [`${DAYS}&${name}=2020-01-01`, 'days'],
      [`${DATE}&${name}=2020-01-01`, 'date'],
      ...[LATEST, TABLE, STREAM, STATS].map((path) => [`${path}&${name}=2020-01-01`, name]),
    ]),
    ...['to', 'end', 'until'].flatMap((name) => [
      [`${CANDLES}&${name}=2020-01-01`, 'thruDate'],
      [`${DAYS}&${name}=2020-01-01`, 'days'],
      [`${LATEST}&${name}=2020-01-01`, name],
    ]),
    [`${LATEST}&date=01-01-2020`, 'date'],
    [`${LATEST}&days=7`, 'days'],
    [`${DAYS}&fromDate=2020-01-01`, 'fromDate'],
    [`${CANDLES}&days=7`, 'days'],
    ...['granularity', 'resolution', 'timeframe', 'timePeriod'].map((name) => [`${CANDLES}&${name}=3600`, 'interval']),
    ...['interval', 'granularity'].map((name) => [`${DAYS}&${name}=daily`, name]),
    ...[CANDLES, DAYS, DATE].map((path) => [`${path}&timeZone=Asia/Tokyo`, 'timezone']),
    [`${DATE}&time=12:00`, 'date'],
  ])('%s is rejected, because it would be answered for something else', async (target, name) => {
    expect(await refused(target as string)).toMatchObject({
      status: 400,
      code: 'invalid_request',
      locations: [`query.${name}`],
    });
  });

  it('names of other services are ignored where they mean nothing', async () => {
    for (const name of ['vs_currencies', 'id', 'from', 'symbols'])
      expect((await service.get(`/v1/user/usage?${name}=x`, { key })).status).toBe(200);
    expect((await service.get(`${LATEST}&limit=5&x_cg_demo=1`, { key })).status).toBe(200);
  });

  it('a grace period under another name is rejected, and the key is not replaced', async () => {
    const { code, body } = await refused('/v1/user/rotate?grace=600', { method: 'POST' });
    expect(code).toBe('invalid_request');
    expect(JSON.parse(body).errors).toEqual([
      expect.objectContaining({ location: 'query.graceSeconds', message: 'was sent as grace' }),
    ]);
  });

  it.each([
    ...[
      '0',
      '-1',
      '1.5',
      '1e3',
      '99999999999',
      'max',
      '36501',
      '',
      '%20',
      '+1',
      '1%00',
      '0x10',
      '%D9%A3',
      '1&days=2',
    ].map((value) => [days(value), 'query.days']),
    ['/v1/prices/history/days?tokenName=bitcoin&Days=1', 'query.days'],
    ['/v1/prices/history/days?tokenname=bitcoin&days=1', 'query.tokenName'],
    ['/v1/prices/history/days?tokenName=dogecoin&days=1', 'query.tokenName'],
    ['/v1/prices/history/days?tokenName[]=bitcoin&days=1', 'query.tokenName'],
    [`${days('1')}&currency=xyz`, 'query.currency'],
    [`${days('1')}&currency=eur&currency=eur`, 'query.currency'],
    [`${days('1')}&currency=eur&vs_currency=usd`, 'query.vs_currency'],
    [`${days('1')}&vs_currency=XYZ`, 'query.vs_currency'],
    [`${days('1')}&currency=`, 'query.currency'],
    ...[
      '31-02-2024',
      '2024-02-31',
      '2024-1-31',
      '2024-01-31T00:00:00Z',
      '1-1-2024',
      '00-01-2024',
      '01-13-2024',
      '29-02-2023',
      'today',
      '01-01-20244',
    ].map((value) => [date(value), 'query.date']),
    [date(tomorrow.split('-').reverse().join('-')), 'query.date'],
    [range('2026-02-31', '2026-03-01'), 'query.fromDate'],
    [range('01-01-2026', '2026-03-01'), 'query.fromDate'],
    [range('2026-03-01', '2026-02-31'), 'query.thruDate'],
    [range(tomorrow, tomorrow), 'query.fromDate'],
    [range('2026-03-02', '2026-03-01'), 'query.fromDate'],
    [`${range('2026-03-01', '2026-03-02')}&interval=weekly`, 'query.interval'],
  ])('GET %s', async (target, location) => {
    expect(await refused(target)).toMatchObject({
      status: 400,
      code: 'invalid_request',
      locations: [location],
    });
  });

  it.each([
    [create(''), 'query.name'],
    [create('%20%20'), 'query.name'],
    [create('a'.repeat(101)), 'query.name'],
    [create('Ada%00Lovelace'), 'query.name'],
    [create('Ada%0ALovelace'), 'query.name'],
    [create('Ada%7FLovelace'), 'query.name'],
    [create('Ada%C2%85Lovelace'), 'query.name'],
    [create('Ada&name=Bob'), 'query.name'],
    [create('Ada', 'ada'), 'query.email'],
    [create('Ada', `${'a'.repeat(250)}@example.org`), 'query.email'],
    [create('Ada', 'ada@example.org%0Abcc:b@example.org'), 'query.email'],
    ...[
      'ada@example-.org',
      `ada@${'d'.repeat(64)}.org`,
      `${'l'.repeat(65)}@example.org`,
      '%D0%B0@example.org',
      'a+b@c.org',
    ].map((email) => [create('Ada', email), 'query.email']),
    [create('Ada', 'ada@example.org', 'weekly'), 'query.plan'],
    [create('Ada', 'ada@example.org', 'monthly&plan=yearly'), 'query.plan'],
  ])('POST %s', async (target, location) => {
    const response = await refused(target, { method: 'POST' });
    expect(response).toMatchObject({ status: 400, code: 'invalid_request', locations: [location] });
  });

  it.each([
    ['bitcon', /^use bitcoin,/],
    ['Bitcoin Cash', /^use bitcoin,/],
    ['zzzzzzzz', /GET \/v1\/tokens/],
    [`qt_${'a'.repeat(38)}`, /GET \/v1\/tokens/],
  ])('tokenName=%s: the fix contains the closest match', async (text, fix) => {
    const { body } = await refused(`/v1/prices/latest/token?tokenName=${encodeURIComponent(text)}`);
    expect(JSON.parse(body).errors).toEqual([
      expect.objectContaining({ location: 'query.tokenName', fix: expect.stringMatching(fix) }),
    ]);
    expect(body).not.toContain(text);
  });

  it('repeats no input', async () => {
    const { body } = await refused('/v1/prices/history/days?tokenName=s3cret&days=s3cret&currency=s3cret');
    expect(body).not.toContain('s3cret');
  });
});

describe('paths, methods and encodings', () => {
  it.each(['/v1/tokens/%zz', '/%', '/v1/%E0%A4%A', '/v1/prices/latest/token%?tokenName=bitcoin'])(
    'a path with invalid percent-encoding: %s',
    async (target) => expect(await refused(target)).toMatchObject({ status: 400, code: 'invalid_request' }),
  );

  it.each(['tokenName=%zz', 'tokenName=bitcoin&x=%', 'tokenName=%E0%A4%A', '%FF=1'])(
    'a query with invalid percent-encoding: %s',
    async (query) => {
      const response = await refused(`/v1/prices/latest/token?${query}`);
      expect(response).toMatchObject({ status: 400, code: 'invalid_request', locations: ['query'] });
    },
  );

  it.each([
    '/',
    '/v1',
    '/v1/',
    '/v1/tokens/',
    '/v1//tokens',
    '/V1/tokens',
    '/v1/users',
    '//',
    '/v1/prices/latest',
    '/nothing?x=1',
  ])('an unknown path: %s', async (target) =>
    expect(await refused(target)).toMatchObject({ status: 404, code: 'not_found' }),
  );

  it.each([
    ['POST', '/v1/prices/latest/token', ['GET', 'HEAD']],
    ['DELETE', '/v1/tokens', ['GET', 'HEAD']],
    ['PUT', '/health/live', ['GET', 'HEAD']],
    ['PATCH', '/v1/prices/history/date/range?x=1', ['GET', 'HEAD']],
    ['OPTIONS', '/v1/tokens', ['GET', 'HEAD']],
    ['GET', '/v1/user/create', ['POST']],
    ['GET', '/v1/user', ['DELETE']],
  ])('%s %s responds with 405', async (method, target, allow) => {
    const response = await refused(target, { method });
    expect(response).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(response.headers.allow?.split(', ').sort()).toEqual(allow);
  });

  it('the detail of a 405 names the paths below that accept the method', async () => {
    const { body } = await refused('/v1/user');
    const { detail } = JSON.parse(body) as { detail: string };
    expect(detail.match(/\/v1\/[\w/]+/g)).toEqual(expect.arrayContaining(['/v1/user/data', '/v1/user/usage']));
    expect(detail).not.toContain('/v1/user/create');
  });

  it('bytes that are not a request', async () => {
    const response = await exchange(service.url, 'this is not HTTP\r\n\r\n');
    expect(response.status).toBe(400);
    expect(JSON.parse(response.body)).toMatchObject({ code: 'invalid_request' });
    expect(response.headers['x-request-id']).toBeTruthy();
  });
});

describe('a seed phrase', () => {
  const phrase = 'abandon+ability+able';
  it.each([
    ['GET', `/v1/prices/latest/token?tokenName=bitcoin&mnemonic=${phrase}`],
    ['GET', `/v1/tokens?mnemonic=${phrase}`],
    ['GET', `/v1/tokens?Mnemonic=${phrase}`],
    ['GET', `/v1/tokens?%6Dnemoni%63=${phrase}`],
    ['GET', `/v1/tokens?mnemonic`],
    ['GET', `/v1/tokens?mnemonic=${phrase}&mnemonic=x`],
    ['GET', `/nothing/here?mnemonic=${phrase}`],
    ['GET', `/%zz?mnemonic=${phrase}`],
    ['GET', `/docs?mnemonic=${phrase}`],
    ['DELETE', `/v1/tokens?mnemonic=${phrase}`],
    ['POST', `/v1/user/create?name=A&email=a@example.org&plan=monthly&mnemonic=${phrase}`],
    ['GET', `/v1/tokens?x=%zz&mnemonic=${phrase}`],
    ['GET', `/v1/tokens?mnemonic=${phrase}&x=${'x'.repeat(20_000)}`],
  ])('%s %s', async (method, target) => {
    const { status, code, body } = await refused(target, { method });
    expect({ status, code }).toEqual({ status: 400, code: 'secret_in_request' });
    expect(body).not.toContain('abandon');
    expect(service.logLines.join('')).not.toContain('abandon');
  });
});

describe('sizes', () => {
  const big = Buffer.alloc(10 * 1024 * 1024, 'x');
  const targets: [string, string][] = [
    ['GET', '/v1/prices/latest/token?tokenName=bitcoin'],
    ['GET', '/nothing'],
    ['POST', '/v1/user/create?name=Ada&email=ada@example.org&plan=monthly'],
    ['POST', '/nothing'],
    ['DELETE', '/v1/user'],
    ['DELETE', '/v1/tokens'],
  ];

  it.each(targets)('10 MB by Content-Length: %s %s', async (method, target) => {
    const headers = { 'content-length': String(big.length), 'content-type': 'application/json' };
    expect(await refused(target, { method, headers, body: [big] })).toMatchObject({
      status: 413,
      code: 'body_too_large',
    });
  });

  it.each(targets)('10 MB in chunks: %s %s', async (method, target) => {
    const chunk = Buffer.concat([Buffer.from('40000\r\n'), Buffer.alloc(0x40000, 'x'), Buffer.from('\r\n')]);
    const body = [...Array.from({ length: 40 }, () => chunk), '0\r\n\r\n'];
    const headers = { 'transfer-encoding': 'chunked', 'content-type': 'text/plain' };
    // A request that is rejected regardless of its body must be rejected before the body arrives.
    const rejection = { '/nothing': 'not_found', '/v1/tokens': 'method_not_allowed' }[target];
    expect((await refused(target, { method, headers, body })).code).toBe(rejection ?? 'body_too_large');
  });

  it.each(['/v1/tokens', '/nothing', '/%zz'])('a header of 20 KB: %s', async (target) => {
    const response = await refused(target, { headers: { cookie: 'x'.repeat(20 * 1024) } });
    expect(response).toMatchObject({ status: 431, code: 'headers_too_large' });
  });

  it('a header of 200 KB', async () => {
    const response = await exchange(
      service.url,
      `GET /v1/tokens HTTP/1.1\r\nhost: q\r\ncookie: ${'x'.repeat(200 * 1024)}\r\n\r\n`,
    );
    expect(response.status).toBe(431);
    expect(JSON.parse(response.body)).toMatchObject({ code: 'headers_too_large' });
  });

  it.each(['/v1/tokens', '/nothing', '/%zz'])('a query of 64 KB: %s', async (target) => {
    const response = await refused(`${target}?x=${'x'.repeat(64 * 1024)}`);
    expect(response).toMatchObject({ status: 414, code: 'uri_too_long' });
  });
});

it.each([
  ['a space', '/v1/user/create?name=Ada Lovelace&email=ada@example.org&plan=monthly'],
  ['UTF-8', Buffer.from('/v1/user/create?name=José&email=ada@example.org&plan=monthly').toString('latin1')],
  ['Latin-1', '/v1/user/create?name=Jos\xe9&email=ada@example.org&plan=monthly'],
])('%s in a URI is named as the fault', async (_what, target) => {
  const response = await refused(target, { method: 'POST' });
  expect(response).toMatchObject({ status: 400, code: 'invalid_request', locations: ['uri'] });
});

it('other bytes are not mistaken for a URI', async () => {
  for (const line of [
    'HELO quotient',
    'GET /a b HTTP/2.0',
    'get /\xe9 HTTP/1.1',
    'GET /v1/tokens HTTP/1.1\r\nx y: \xe9',
  ]) {
    const response = await exchange(service.url, Buffer.from(`${line}\r\nhost: quotient\r\n\r\n`, 'latin1'));
    expect([line, JSON.parse(response.body).errors]).toEqual([line, undefined]);
  }
});

describe('a body', () => {
  const types = [
    'text/',
    '/json; charset',
    'application/json; charset=utf-8; charset=utf-16',
    ',',
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'nonsense',
    '',
  ];

  it.each(types)('of invalid JSON with %o is not read', async (type) => {
    const before = await stored();
    const body = '{"name": "Eve", mnemonic';
    const head =
      `POST /v1/user/create?name=Ada&email=ada@example.org&plan=monthly HTTP/1.1\r\nhost: quotient\r\n` +
      `${type && `content-type: ${type}\r\n`}content-length: ${body.length}\r\n\r\n`;
    const response = await exchange(service.url, head, body);
    expect(response.status, response.body).toBe(201);
    expect(JSON.parse(response.body)).toMatchObject({ name: 'Ada', plan: 'monthly' });
    expect(await stored()).toEqual({ ...before, users: before.users + 1, keys: before.keys + 1 });
  });

  const JSON_TYPE = { 'content-type': 'application/json' };
  it.each([
    ['POST', '/v1/user/create?name=Ada&email=ada@example.org&plan=monthly', 'name, email, plan'],
    ['POST', '/v1/user/create', 'name, email, plan'],
    ['POST', '/v1/user/rotate', 'graceSeconds'],
    ['POST', '/v1/user/renew', 'send no body'],
    ['DELETE', '/v1/user', 'send no body'],
    ['GET', '/v1/prices/latest/token?tokenName=bitcoin', 'tokenName, currency'],
    ['POST', '/v1/prices/stream/tickets', 'send no body'],
    ['GET', '/v1/tokens', 'tokenNames, limit, after'],
  ])('of JSON with content is rejected by a path that reads none: %s %s', async (method, target, fix) => {
    const long = JSON.stringify({ label: 'x'.repeat(9_000) });
    for (const body of ['{"graceSeconds":0}', ' [ {"a":1} ]', long]) {
      const headers = { ...JSON_TYPE, 'content-length': String(body.length) };
      const response = await refused(target, { method, headers, body: [body] });
      expect(response).toMatchObject({ status: 400, code: 'invalid_request', locations: ['body'] });
      expect(response.body).toContain(fix);
    }
    const typed = { 'content-type': 'application/vnd.api+json;charset=utf-8', 'content-length': '7' };
    expect((await refused(target, { method, headers: typed, body: ['{"a":1}'] })).locations).toEqual(['body']);
  });

  it('of JSON without content, as many clients send with every request, is discarded', async () => {
    for (const body of ['{}', '{ }', '[]', 'null', '""', '', ' \r\n']) {
      const head = { ...JSON_TYPE, 'x-api-key': key };
      const renewed = await fetch(`${service.url}/v1/user/rotate?graceSeconds=x`, {
        method: 'POST',
        headers: head,
        body,
      });
      expect(await renewed.json()).toMatchObject({ errors: [{ location: 'query.graceSeconds' }] });
      const apiKey = await service.register();
      const erased = await fetch(`${service.url}/v1/user`, {
        method: 'DELETE',
        headers: { ...JSON_TYPE, 'x-api-key': apiKey },
        body,
      });
      expect([body, erased.status]).toEqual([body, 204]);
    }
  });

  it.each(types)('does not replace a parameter with %o', async (type) => {
    const body = 'name=Ada&email=ada@example.org&plan=monthly';
    const headers = { 'content-length': String(body.length), ...(type && { 'content-type': type }) };
    const response = await refused('/v1/user/create', { method: 'POST', headers, body: [body] });
    expect(response).toMatchObject({ status: 400, code: 'invalid_request', locations: ['body'] });
    expect(response.body).toContain('send the parameters in the query: name, email, plan');
  });

  const part = (name: string) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n604800\r\n--x--\r\n`;
  it.each([
    ['application/x-www-form-urlencoded', 'graceSeconds=604800'],
    ['application/x-www-form-urlencoded', 'a=1&grace_seconds=604800'],
    ['application/x-www-form-urlencoded', '{"graceSeconds":604800}'],
    ['text/plain;charset=UTF-8', '{"grace":604800}'],
    ['', '{"graceSeconds":604800}'],
    ['multipart/form-data; boundary=x', part('graceSeconds')],
  ])('of type %o that contains a parameter of the path is rejected: %s', async (type, body) => {
    const headers = { 'content-length': String(body.length), ...(type && { 'content-type': type }) };
    const response = await refused('/v1/user/rotate', { method: 'POST', headers, body: [body] });
    expect(response).toMatchObject({ status: 400, code: 'invalid_request', locations: ['body'] });
    const label = 'label=shop&dailyLimit=5';
    const limited = { 'content-length': String(label.length), 'content-type': 'application/x-www-form-urlencoded' };
    const made = await refused('/v1/user/keys?label=shop', { method: 'POST', headers: limited, body: [label] });
    expect(made).toMatchObject({ status: 400, code: 'invalid_request', locations: ['body'] });
  });

  it.each(['x=1', '{"x":1}', part('x'), 'anything'])(
    'without a parameter of the path is discarded: %s',
    async (body) => {
      const sent = { method: 'POST', headers: { 'x-api-key': await service.register() }, body: Buffer.from(body) };
      expect((await fetch(`${service.url}/v1/user/rotate?graceSeconds=0`, sent)).status).toBe(200);
    },
  );

  it.each(types)('of invalid JSON in a GET with %o has no effect', async (type) => {
    const body = '{"broken';
    const head =
      `GET /v1/tokens HTTP/1.1\r\nhost: quotient\r\n` +
      `${type && `content-type: ${type}\r\n`}content-length: ${body.length}\r\n\r\n`;
    expect((await exchange(service.url, head, body)).status).toBe(200);
  });

  it.each([
    ['POST', '/v1/user/create?name=Ada&email=ada@example.org&plan=monthly', 201],
    ['POST', '/v1/node/txs', 400],
    ['POST', '/nothing', 404],
    ['DELETE', '/v1/tokens', 405],
    ['GET', '/v1/tokens', 200],
  ])('announced only by its media type is not waited for: %s %s', async (method, target, status) => {
    for (const type of ['application/json', 'nonsense']) {
      const head = `${method} ${target} HTTP/1.1\r\nhost: q\r\nx-api-key: ${key}\r\ncontent-type: ${type}\r\n\r\n`;
      expect((await exchange(service.url, head)).status, type).toBe(status);
    }
  });
});

it('the problem of an unknown path names the nearest path', async () => {
  const { detail } = (await (await service.get('/prices/latest/token?tokenName=bitcoin', { key })).json()) as {
    detail: string;
  };
  expect(detail).toContain('/v1/prices/latest/token');
});
