import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isoDate } from '#core/clock';
import { openEcb } from '#prices/sources/ecb';
import type { Dropped } from '#upstream/items/items';
import { createTestClock } from '../../../fixtures/clock.ts';
import { amount } from '../../support/long.ts';
import { haveRecordings, recording } from '../../support/upstream/recordings.ts';
import { type FakeResponse, startUpstreamServer, type UpstreamServer } from '../../support/upstream/upstream-server.ts';

const FROM = Date.parse('2026-05-13');
const HEAD = 'KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE\n';
const row = (code: string, date: string, rate: string, suffix = 'A') =>
  `EXR.D.${code}.EUR.SP00.A,D,${code},EUR,SP00,${suffix},${date},${rate}\n`;
const DOLLAR = row('USD', '2026-05-13', '1.1302');

let server: UpstreamServer;
let opened: ReturnType<typeof openTestEcb>;
beforeAll(async () => {
  server = await startUpstreamServer(() => undefined);
});
beforeEach(() => {
  opened = openTestEcb();
});
afterEach(() => opened.close());
afterAll(() => server?.close());

function openTestEcb() {
  const clock = createTestClock('2026-11-15T14:10:06Z');
  const dropped: Parameters<Dropped>[0][] = [];
  const outcomes: string[] = [];
  const source = openEcb({
    ...{ url: server.url, timeoutMs: 2000, clock },
    reserve: async () => true,
    callSpacing: () => 0,
    dropped: (samples) => void dropped.push(samples),
    observe: (outcome) => void outcomes.push(outcome),
  });
  return { ...source, dropped, outcomes };
}

const csv = (body: FakeResponse['body'], headers = {}): FakeResponse => ({
  headers: { 'content-type': 'text/csv', ...headers },
  body,
});
const sample = (name: string) => readFileSync(new URL(`../../samples/ecb/${name}`, import.meta.url));

/** The rates that the source reads from a response: `usd 2026-05-13 1.1302`. */
async function received(response: FakeResponse): Promise<string[]> {
  server.follow(() => response);
  const rates = await opened.rates(FROM);
  return rates.map(({ currency, date, rate }) => `${currency} ${isoDate(date)} ${rate}`);
}

const USD = ['usd 2026-05-13 1.1302', 'usd 2026-05-14 1.1275'];
const JPY = 'jpy 2026-05-13 171.25';

describe('rates', () => {
  test('are requested together, from a date on', async () => {
    expect(await received(csv(sample('dataonly.csv')))).toEqual([JPY, ...USD]);
    const { path, query, headers } = server.calls.at(-1) ?? {};
    expect(path).toBe('/data/EXR/D..EUR.SP00.A');
    expect(query).toEqual({ format: 'csvdata', detail: 'dataonly', startPeriod: '2026-05-13' });
    expect(headers).toMatchObject({ accept: 'text/csv', 'accept-encoding': 'gzip, br' });
    // A series other than a reference rate, and a day without a value, do not count as dropped.
    expect(opened.dropped).toEqual([]);
  });

  test.each([
    ['with every column', sample('full.csv')],
    [
      'with lines that end in CR LF, and a byte order mark',
      `\ufeff${HEAD}${DOLLAR}${row('USD', '2026-05-14', '1.1275')}`.replaceAll('\n', '\r\n'),
    ],
    [
      'with the columns in another order',
      'OBS_VALUE,TIME_PERIOD,EXR_SUFFIX,EXR_TYPE,CURRENCY_DENOM,CURRENCY,FREQ\n1.1302,2026-05-13,A,SP00,EUR,USD,D\n1.1275,2026-05-14,A,SP00,EUR,USD,D\n',
    ],
    [
      'among other series',
      `${HEAD}${row('JPY', '2026-05-13', '2', 'E')}${DOLLAR}${row('USD', '2026-05-14', '1.1275')}`,
    ],
  ])('are read %s', async (_how, body) => {
    expect(await received(csv(body))).toEqual(USD);
  });

  test('are read from a compressed response', async () => {
    const body = gzipSync(sample('dataonly.csv'));
    expect(await received(csv(body, { 'content-encoding': 'gzip' }))).toEqual([JPY, ...USD]);
  });

  test('are read in tens of thousands', async () => {
    const dates = Array.from({ length: 5000 }, (_, i) => isoDate(Date.UTC(2010, 0, 1 + i)));
    const rows = ['JPY', 'USD'].flatMap((code) => dates.map((date) => row(code, date, '1.5')));
    expect(await received(csv(HEAD + rows.join('')))).toHaveLength(10_000);
  });

  test('are empty for a period without publications, which lasts at most some days', async () => {
    server.follow(() => csv(''));
    expect(await opened.rates(Date.parse('2026-11-06'))).toEqual([]);
    expect(opened.outcomes).toEqual(['ok']);
    await expect(opened.rates(Date.parse('2026-11-05'))).rejects.toMatchObject({ reason: 'empty' });
    await expect(opened.rates(Date.parse('2013-01-01'))).rejects.toMatchObject({ reason: 'empty' });
  });
});

describe('an implausible rate is dropped and counted', () => {
  test.each([
    ['0', 'price'],
    ['-1.2', 'price'],
    ['1e999', 'price'],
    ['unknown', 'malformed'],
    ['1,2', 'malformed'],
    ['0x10', 'malformed'],
    ['Infinity', 'malformed'],
    ['"1.2', 'malformed'],
  ])('%s', async (rate, reason) => {
    const body = `${HEAD}${row('JPY', '2026-05-13', rate)}${DOLLAR}`;
    expect(await received(csv(body))).toEqual([USD[0]]);
    expect(opened.dropped).toMatchObject([{ count: 1, reasons: [reason] }]);
  });

  test.each(['2026-11-16', '2026-02-30', '2026-5-13', '13-05-2026', '2026-05', ''])(
    'with the date %s',
    async (date) => {
      expect(await received(csv(`${HEAD}${row('JPY', date, '171')}${DOLLAR}`))).toEqual([USD[0]]);
      expect(opened.dropped).toMatchObject([{ count: 1, reasons: ['too_late'] }]);
    },
  );
});

test.each([
  ['hundreds of thousands of lost quotes', '"\n'.repeat(400_000)],
  ['one line of quotes', `${'"'.repeat(400_000)}\n`],
  ['a carriage return in its first row', row('JPY', '2026-05-13', '\r')],
  ['one long line', `"${'x'.repeat(400_000)}"\n`],
])('a response with %s has its other rates', async (_what, text) => {
  expect(await received(csv(HEAD + text + DOLLAR))).toEqual([USD[0]]);
});

describe('a faulty row affects no other row', () => {
  const dates = ['11', '12', '13', '14', '15'].map((day) => `2026-05-${day}`);
  const rateOf: Record<string, number> = { USD: 1.13, JPY: 171.2, TRY: 45.1 };
  const rows = Object.entries(rateOf).flatMap(([code, rate]) =>
    dates.map((date, i) => row(code, date, String(rate + i / 100))),
  );
  const sound = rows.map((text) => text.trimEnd().split(','));
  const expected = sound.map(([, , code, , , , date, rate]) => `${code?.toLowerCase()} ${date} ${rate}`);

  test.each([
    ['newest first', rows.toReversed()],
    ['by date', rows.toSorted((a, b) => (a.split(',')[6] ?? '').localeCompare(b.split(',')[6] ?? ''))],
    ['repeated', [...rows, ...rows]],
  ])('in any order: %s', async (_order, ordered) => {
    expect((await received(csv(HEAD + ordered.join('')))).toSorted()).toEqual(expected.toSorted());
  });

  test('with the date of another row: neither row counts', async () => {
    const [, wrong = ''] = rows.filter((text) => text.includes(',JPY,'));
    const changed = rows.map((text) => (text === wrong ? text.replace('2026-05-12', '2026-05-14') : text));
    const others = expected.filter((text) => !/^jpy 2026-05-1[24]/.test(text));
    expect((await received(csv(HEAD + changed.join('')))).toSorted()).toEqual(others.toSorted());
  });

  test('of any kind', async () => {
    const place = fc.nat(rows.length - 1);
    const field = fc.nat(7);
    const wrong = fc.constantFrom(
      '',
      'N/A',
      'NaN',
      '0',
      '-1',
      '1e999',
      '∞',
      '"',
      '"""',
      '\r',
      '2026-13-45',
      'a,b',
      ',,,',
      '#',
    );
    await fc.assert(
      fc.asyncProperty(place, fc.oneof(fc.tuple(field, wrong), fc.constant('missing' as const)), async (at, change) => {
        const texts = rows.map((text, i) => {
          if (i !== at) return text;
          if (change === 'missing') return '';
          return `${sound[i]?.with(change[0], change[1]).join(',')}\n`;
        });
        const others = expected.filter((_, i) => i !== at);
        const rates = await received(csv(HEAD + texts.join('')));
        expect(rates.filter((rate) => others.includes(rate)).toSorted()).toEqual(others.toSorted());
      }),
      { numRuns: amount(50, 500) },
    );
  });

  test.each([0.1, 10, 100, 0.01])('that is off by a factor of %d', async (factor) => {
    for (const at of rows.keys()) {
      const texts = rows.map((text, i) =>
        i === at ? `${sound[i]?.with(7, String(Number(sound[i]?.[7]) * factor)).join(',')}\n` : text,
      );
      expect((await received(csv(HEAD + texts.join('')))).toSorted()).toEqual(
        expected.filter((_, i) => i !== at).toSorted(),
      );
    }
  });
});

describe('an invalid response', () => {
  test.each<[string, FakeResponse, string]>([
    [
      'a page',
      {
        headers: { 'content-type': 'text/html' },
        body: '<html>\n<body>Down for maintenance</body>\n</html>\n',
      },
      'unexpected',
    ],
    ['a one-line page', { body: '<html></html>' }, 'unexpected'],
    [
      'a response truncated within a line',
      csv(`${HEAD}${DOLLAR}EXR.D.ZAR.EUR.SP00.A,D,ZAR,EUR,SP00,A,2026-05-13,18.2`),
      'unexpected',
    ],
    ['another header', csv(`${HEAD.replace('OBS_VALUE', 'VALUE')}${DOLLAR}`), 'unexpected'],
    ['only a header', csv(HEAD), 'empty'],
    ['a response without the dollar', csv(`${HEAD}${row('JPY', '2026-05-13', '171')}`), 'empty'],
    ['a response without any rate', csv(`${HEAD}${row('USD', '2026-05-13', '0')}`), 'unexpected'],
    ['an unknown series', { status: 404, body: 'No results found.' }, 'not_listed'],
    ['too many calls', { status: 429, headers: { 'retry-after': '7' }, body: '' }, 'rate_limited'],
    ['an invalid request', { status: 400, body: 'Invalid' }, 'refused'],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' }, body: '' }, 'refused'],
    ['a fault', { status: 503, body: '<html></html>' }, 'server_error'],
    ['invalid compression', csv('no gzip\n', { 'content-encoding': 'gzip' }), 'unreachable'],
    [
      'a response that is too large',
      csv(gzipSync(Buffer.alloc(33 * 1024 * 1024)), { 'content-encoding': 'gzip' }),
      'too_large',
    ],
  ])('is a failure: %s', async (_what, response, reason) => {
    await expect(received(response)).rejects.toMatchObject({ upstream: 'ecb', reason });
  });
});

describe.runIf(haveRecordings)('recorded responses', () => {
  test.each([
    ['api_csvdata_dataonly_PLN_lastN1_endPeriod_2026-08-08.csv', ['pln 2026-08-07 4.2983']],
    ['api_csvdata_full_USD_2026-09.csv', ['usd 2026-09-03 1.1615', 'usd 2026-09-04 1.1622', 'usd 2026-09-07 1.1622']],
    // Without the Argentine peso, whose rate is indicative.
    ['api_csvdata_full_all_lastN1_excerpt_2026-09-30.csv', ['bgn 2025-12-31 1.9558', 'jpy 2026-09-25 178.27']],
  ])('%s', async (name, rates) => {
    const recorded = String(recording('ecb', name).body);
    // A request always includes the dollar, which is missing from two of these recordings.
    const [head = ''] = recorded.split('\n');
    const dollar = head.split(',').map(
      (column) =>
        ({
          FREQ: 'D',
          CURRENCY: 'USD',
          CURRENCY_DENOM: 'EUR',
          EXR_TYPE: 'SP00',
          EXR_SUFFIX: 'A',
          TIME_PERIOD: '2026-05-13',
          OBS_VALUE: '1.1302',
        })[column.trim()] ?? '',
    );
    const all = await received(csv(`${recorded}${dollar.join(',')}\n`));
    expect(all.filter((one) => one !== USD[0])).toEqual(expect.arrayContaining(rates));
    expect(all.join()).not.toContain('ars');
  });
});
