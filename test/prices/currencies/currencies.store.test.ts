import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MINUTE } from '#core/clock';
import { openImportFile } from '#prices/imports/price-file';
import { type FaultyUpstreamService, startWithFaultyUpstream } from '../../support/service/chaos.ts';

let service: FaultyUpstreamService;
beforeAll(async () => {
  // A Friday, before the publication of the day's rates.
  service = await startWithFaultyUpstream({ settings: { UPSTREAM_TIMEOUT_MS: '20000' } });
});
afterAll(() => service?.close());

const LATEST = '/v1/prices/latest/token?tokenName=ethereum';
const DATE = '/v1/prices/history/date?tokenName=ethereum&date=10-05-2026';
const DAYS = '/v1/prices/history/days?tokenName=ethereum&days=30';
const HOURS = '/v1/prices/history/days?tokenName=ethereum&days=2';
const RANGE = '/v1/prices/history/date/range?tokenName=ethereum&fromDate=2026-05-01&thruDate=2026-05-12';
const OHLC = '/v1/prices/history/ohlc?tokenName=ethereum&fromDate=2026-05-01&thruDate=2026-05-12';
const PATHS = [LATEST, DATE, DAYS, HOURS, RANGE, OHLC];

const json = async (path: string) => JSON.parse((await service.ask(path)).body);
const ecbCalls = () => service.sandbox.calls.filter(({ path }) => path.includes('EXR')).length;
const used = async () => {
  const response = await service.get('/v1/user/usage', { key: service.key });
  return ((await response.json()) as { used: number }).used;
};

describe('US dollars', () => {
  test.each(PATHS)('are the default, and cause no call to the ECB: %s', async (path) => {
    const { body, header } = await service.ask(path);
    expect(header('quotient-currency')).toBeUndefined();
    for (const named of ['currency=usd', 'vs_currency=USD', 'currency=usd&vs_currency=usd']) {
      const same = await service.ask(`${path}&${named}`);
      expect(same.body).toBe(body);
      expect(same.header('etag')).toBe(header('etag'));
      expect(same.header('quotient-currency')).toBeUndefined();
    }
    expect(ecbCalls()).toBe(0);
    expect(await service.database.prisma.exchangeRates.count()).toBe(0);
  });
});

describe('another currency', () => {
  test('returns a latest price with its rate, built once for all clients', async () => {
    const [dollars, first] = [await json(LATEST), await service.ask(`${LATEST}&currency=EUR`)];
    const [, rate] =
      /^eur;rate=(\d\.\d+);on=2026-05-14;source=ecb$/.exec(first.header('quotient-currency') ?? '') ?? [];
    const euros = JSON.parse(first.body);
    for (const name of ['current_price', 'market_cap', 'total_volume'])
      expect(euros[name] / (dollars[name] * Number(rate))).toBeCloseTo(1, 9);
    // Each at the rate of its own date.
    for (const name of ['ath', 'atl'])
      expect(Math.abs(euros[name] / (dollars[name] * Number(rate)) - 1)).toBeGreaterThan(1e-6);
    for (const name of Object.keys(dollars).filter((one) => /supply|percentage|date/.test(one)))
      expect(euros[name]).toEqual(dollars[name]);
    expect(first.header('etag')).not.toBe((await service.ask(LATEST)).header('etag'));
    expect((await service.ask(`${LATEST}&vs_currency=eur`)).body).toBe(first.body);
    expect(ecbCalls()).toBe(1);
  });

  test.each(PATHS)('has its own response and validator: %s', async (path) => {
    const requested = `${path}&currency=chf`;
    const first = await service.ask(requested);
    expect(first.status).toBe(200);
    expect(first.header('quotient-currency')).toMatch(/^chf;(rate=\d\.\d+;on=2026-05-\d\d;)?source=ecb$/);
    const before = await used();
    const again = await service.ask(requested, { 'if-none-match': first.header('etag') ?? '' });
    expect(again.status).toBe(304);
    expect(again.header('quotient-currency')).toBeUndefined();
    expect(await used()).toBe(before);
    // The responses in dollars differ from those in francs.
    const dollars = await service.ask(path, { 'if-none-match': first.header('etag') ?? '' });
    expect(dollars.status).toBe(200);
    expect(dollars.header('quotient-currency')).toBeUndefined();
  });

  test('uses the rate of a single date: on a Sunday, that of Friday', async () => {
    const { body, header } = await service.ask(`${DATE}&currency=jpy`);
    const [, rate] = /^jpy;rate=(\d+\.\d+);on=2026-05-08;source=ecb$/.exec(header('quotient-currency') ?? '') ?? [];
    const [[yen], [dollars]] = [JSON.parse(body), await json(DATE)];
    expect(yen.current_price / dollars.current_price).toBeCloseTo(Number(rate), 6);
  });

  test('is the last column of CSV, so that values are not mistaken for dollars', async () => {
    const csv = { accept: 'text/csv' };
    const { body } = await service.ask(`${RANGE}&currency=eur`, csv);
    const lines = body.trimEnd().split('\r\n');
    expect(lines[0]).toBe('date,price,market_cap,total_volume,currency');
    expect(lines).toHaveLength(13);
    expect(lines.slice(1).every((line) => line.endsWith(',eur'))).toBe(true);
    const candles = (await service.ask(`${OHLC}&currency=eur&format=csv`)).body.split('\r\n');
    expect(candles[0]).toBe('date,open,high,low,close,volume,currency');
    expect(candles[1]).toMatch(/^2026-05-01(,[\d.]+){5},eur$/);
    const day = (await service.ask(`${DATE}&currency=eur`, csv)).body.split('\r\n');
    expect(day[1]).toMatch(/,eur$/);
    expect((await service.ask(RANGE, csv)).body).toMatch(/^date,price,market_cap,total_volume\r\n/);
  });

  test('is named by the file, so that an import does not take it for dollars', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quotient-currency-'));
    const path = join(folder, 'euros.csv');
    await writeFile(path, (await service.ask(`${RANGE}&currency=eur`, { accept: 'text/csv' })).body);
    expect(await openImportFile(path)).toMatchObject({ currency: 'eur' });
    await rm(folder, { recursive: true });
  });

  test('converts candles at one rate each, and does not convert the volume', async () => {
    const [dollars, euros] = [await json(OHLC), await json(`${OHLC}&currency=eur`)];
    expect(euros).toHaveLength(dollars.length);
    for (const [i, one] of euros.entries()) {
      const rate = one.open / dollars[i].open;
      for (const name of ['high', 'low', 'close']) expect(one[name] / dollars[i][name]).toBeCloseTo(rate, 12);
      expect(one.volume).toBe(dollars[i].volume);
      expect(one.date).toBe(dollars[i].date);
    }
  });

  test('is immutable once the rates of its dates cannot change', async () => {
    expect((await service.ask(`${RANGE}&currency=eur`)).header('cache-control')).toMatch(/immutable/);
    // Thursday's rate is published, but Friday's is not. A later rate may apply to the weekend.
    const thru = (day: string) => RANGE.replace('2026-05-12', `2026-05-${day}`);
    expect((await service.ask(`${thru('14')}&currency=eur`)).header('cache-control')).toMatch(/immutable/);
    await service.pass(30 * 60 * MINUTE);
    expect((await service.ask(thru('16'))).header('cache-control')).toMatch(/max-age/);
  });
});

describe('bitcoin and ether', () => {
  test.each([
    ['btc', 'bitcoin'],
    ['eth', 'ethereum'],
  ])('%s is converted with the samples of %s at the same time', async (currency, token) => {
    const path = RANGE.replace('ethereum', 'solana');
    const [dollars, base, converted] = [
      await json(path),
      await json(RANGE.replace('ethereum', token)),
      await service.ask(`${path}&currency=${currency}`),
    ];
    expect(converted.header('quotient-currency')).toBe(`${currency};source=coingecko`);
    const { prices, market_cap } = JSON.parse(converted.body);
    expect(prices).toHaveLength(12);
    for (const [i, { price }] of prices.entries()) {
      expect(price / (dollars.prices[i].price / base.prices[i].price)).toBeCloseTo(1, 12);
      expect(market_cap[i].price / (dollars.market_cap[i].price / base.prices[i].price)).toBeCloseTo(1, 12);
    }
  });

  test('are 1 in themselves', async () => {
    expect((await json(`${LATEST}&currency=eth`)).current_price).toBe(1);
    const [{ prices, market_cap }] = await json(`${DAYS}&currency=eth`);
    expect(prices.every(({ price }: { price: number }) => price === 1)).toBe(true);
    expect(market_cap[0].price).toBeGreaterThan(1e6);
  });

  test('several latest prices equal those of single requests', async () => {
    const path = '/v1/prices/latest/tokens?tokenNames=ethereum,bitcoin';
    for (const currency of ['eur', 'btc']) {
      const several = await service.ask(`${path}&currency=${currency}`);
      const [ethereum, bitcoin] = JSON.parse(several.body);
      const alone = await service.ask(`${LATEST}&currency=${currency}`);
      const { tokenName, symbol, at: _at, change_24h: _change, ...record } = ethereum;
      expect([tokenName, symbol]).toEqual(['ethereum', 'eth']);
      expect(record).toEqual(JSON.parse(alone.body));
      expect(several.header('quotient-currency')).toBe(alone.header('quotient-currency'));
      expect(bitcoin.current_price).toBe(
        (await json(`${LATEST.replace('ethereum', 'bitcoin')}&currency=${currency}`)).current_price,
      );
      const again = await service.ask(`${path}&currency=${currency}`, {
        'if-none-match': several.header('etag') ?? '',
      });
      expect(again.status).toBe(304);
      expect((await service.ask(path)).header('etag')).not.toBe(several.header('etag'));
    }
    expect((await service.ask(`${path}&currency=xyz`)).status).toBe(400);
  });

  test('hours and latest prices use the nearest sample', async () => {
    const [[{ prices }], [bitcoin]] = [
      await json(`${HOURS}&currency=btc`),
      await json(HOURS.replace('ethereum', 'bitcoin')),
    ];
    expect(prices.length).toBeGreaterThan(45);
    expect(prices.length).toBeLessThanOrEqual(bitcoin.prices.length + 1);
    const [latest, inBitcoin, ofBitcoin] = [
      await json(LATEST),
      await service.ask(`${LATEST}&currency=btc`),
      await json(LATEST.replace('ethereum', 'bitcoin')),
    ];
    const received = JSON.parse(inBitcoin.body);
    expect(received.current_price).toBe(latest.current_price / ofBitcoin.current_price);
    // A date beyond the range of the CoinGecko plan.
    expect(received.ath).toBeNull();
    expect(inBitcoin.header('quotient-currency')).toMatch(/^btc;rate=0\.0000\d+;on=2026-05-16;source=coingecko$/);
  });

  test('candles use the opening price', async () => {
    const [dollars, bitcoin, converted] = [
      await json(OHLC),
      await json(OHLC.replace('ethereum', 'bitcoin')),
      await json(`${OHLC}&currency=btc`),
    ];
    expect(converted).toHaveLength(12);
    for (const [i, { close, volume }] of converted.entries()) {
      expect(close / (dollars[i].close / bitcoin[i].open)).toBeCloseTo(1, 12);
      expect(volume).toBe(dollars[i].volume);
    }
  });

  test('there are no points before the currency token existed', async () => {
    const early =
      '/v1/prices/history/date/range?tokenName=bitcoin&fromDate=2026-05-01&thruDate=2026-05-02&currency=eth';
    expect((await service.ask(early)).status).toBe(200);
    const { status, code } = await service.ask(early.replaceAll('2026-05-0', '2015-01-0'));
    expect([404, 503]).toContain(status);
    expect(['no_data', 'upstream_unavailable']).toContain(code);
  });
});

describe('an unavailable currency', () => {
  test.each([
    ['currency=xyz', 'query.currency'],
    ['vs_currency=xyz', 'query.vs_currency'],
    ['currency=ars', 'query.currency'],
    ['currency=eur&vs_currency=usd', 'query.vs_currency'],
    ['currency=eur,usd', 'query.currency'],
    ['currency=__proto__', 'query.currency'],
  ])('is rejected with 400 free of charge, with the list of currencies: %s', async (query, location) => {
    const before = await used();
    for (const path of PATHS) {
      const { status, body } = await service.ask(`${path}&${query}`);
      expect([status, JSON.parse(body).code]).toEqual([400, 'invalid_request']);
      const [fault] = JSON.parse(body).errors;
      expect(fault).toMatchObject({ location });
      const isConflict = query.includes('vs_currency=') && query.includes('&');
      if (!isConflict) expect(fault.fix).toContain('usd, eur, btc, eth, aud, bgn');
    }
    expect(await used()).toBe(before);
  });

  test('is rejected with 400 for latest prices if it is discontinued, and its history is served', async () => {
    const { status, body } = await service.ask(`${LATEST}&currency=bgn`);
    expect([status, JSON.parse(body).errors]).toEqual([
      400,
      [expect.objectContaining({ location: 'query.currency', fix: expect.stringContaining('2025-12-31') })],
    ]);
    const over = `${DAYS.replace('days=30', 'days=200')}&currency=bgn`;
    const { header, body: history } = await service.ask(over);
    expect(JSON.parse(history)[0].prices.at(-1).date).toBe('Wed, 31 Dec 2025 00:00:00 GMT');
    expect(header('quotient-gaps')).toBe('2026-01-01/2026-05-16');
  });

  test('statistics are in dollars only', async () => {
    const stats = '/v1/prices/latest/stats?token=btc';
    expect((await service.ask(`${stats}&currency=usd`)).status).toBe(200);
    const { status, body } = await service.ask(`${stats}&currency=eur`);
    expect([status, JSON.parse(body).errors[0].location]).toEqual([400, 'query.currency']);
  });
});
