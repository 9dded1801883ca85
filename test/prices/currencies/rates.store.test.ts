import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '#core/clock';
import { warningText } from '#upstream/freshness';
import { createTestClock, type TestClock } from '../../../fixtures/clock.ts';
import { openTestMarket, type TestMarket } from '../../support/service/market.ts';

let clock: TestClock;
let opened: TestMarket;
beforeEach(async () => {
  // A Friday, before the publication of its rates.
  clock = createTestClock('2026-05-15T12:00:00Z');
  opened = await openTestMarket(clock, { env: { UPSTREAM_TIMEOUT_MS: '3000' } });
});
afterEach(() => opened.close());

const EXR = 'EXR';
const starts = () =>
  opened.sandbox.calls.filter(({ path }) => path.includes(EXR)).map(({ query }) => query.startPeriod);
const rateOf = async (currency = 'eur', market = opened.market) => (await market.latest('solana', currency)).currency;

/** Repeats a request after the cached responses have expired and fetches have completed. */
async function later(ms: number): Promise<string | undefined> {
  clock.advance(ms);
  const received = await rateOf();
  await opened.rates.idle();
  return received;
}

describe('rates', () => {
  test('are fetched once for all currencies, from the earliest required year', async () => {
    await Promise.all([rateOf('eur'), rateOf('jpy'), rateOf('eur')]);
    await rateOf('chf');
    expect(starts()).toEqual(['2020-01-01']);
    // For an earlier time, all rates from that time on are fetched.
    await opened.market.range('bitcoin', 'day', Date.parse('2026-01-02'), Date.parse('2026-01-03'), 'json', 'eur');
    expect(starts()).toHaveLength(1);
    await opened.market.latest('bitcoin', 'gbp');
    expect(starts()).toEqual(['2020-01-01', '2013-01-01']);
  });

  test('are fetched when published: until then, the old ones are served with their date', async () => {
    expect(await rateOf()).toMatch(/on=2026-05-14;/);
    // Not available yet: in summer, the rates are published at two. Here, they are published at three.
    expect(await later(2 * HOUR + 20 * MINUTE)).toMatch(/on=2026-05-14;/);
    expect(starts()).toEqual(['2020-01-01', '2026-02-11']);
    expect(await later(30 * MINUTE)).toMatch(/on=2026-05-14;/);
    expect(starts()).toHaveLength(2);
    expect(await later(31 * MINUTE)).toMatch(/on=2026-05-14;/);
    expect(await later(MINUTE)).toMatch(/on=2026-05-15;/);
    // Nothing is requested until Monday afternoon.
    for (let hours = 0; hours < 70; hours += 5) expect(await later(5 * HOUR)).toMatch(/on=2026-05-15;/);
    expect(starts()).toEqual(['2020-01-01', '2026-02-11', '2026-02-11']);
  });

  test('of past days are waited for', async () => {
    await rateOf();
    clock.advance(6 * DAY);
    expect(await rateOf()).toMatch(/on=2026-05-20;/);
    expect(starts()).toEqual(['2020-01-01', '2026-02-11']);
  });

  test('are not fetched again by a process that starts later', async () => {
    const received = await rateOf();
    const other = await opened.another();
    expect(await rateOf('eur', other)).toBe(received);
    expect(starts()).toHaveLength(1);
  });
});

describe('a response', () => {
  const day = (date: string, currency: string) =>
    opened.market.range('solana', 'day', Date.parse('2026-05-01'), Date.parse(date), 'json', currency);
  const text = ({ body }: Awaited<ReturnType<typeof day>>) => String(body.identity.payload);

  test('is built again for new rates, even if its prices are unchanged', async () => {
    await opened.market.days('solana', 30, 'json');
    await rateOf();
    const [latest, window] = [await opened.market.latest('solana', 'eur'), await day('2026-05-15', 'eur')];
    opened.sandbox.faults.always({ kind: 'status', status: 503 }, { path: '/coins' });
    opened.sandbox.faults.always({ kind: 'status', status: 503 }, { path: '/0/public' });
    await later(4 * HOUR);
    expect(await later(2 * MINUTE)).toMatch(/on=2026-05-15;/);
    expect(text(await opened.market.latest('solana', 'eur'))).not.toBe(text(latest));
    expect(text(await day('2026-05-15', 'eur'))).not.toBe(text(window));
  });

  test('states that data was fetched for it, and is not settled while its last rate is missing', async () => {
    await opened.market.latest('solana');
    expect((await opened.market.latest('solana', 'eur')).outcome.fetched).toBe(true);
    opened.sandbox.faults.always({ kind: 'status', status: 503 }, { path: EXR });
    clock.advance(16 * HOUR);
    expect((await day('2026-05-15', 'usd')).isImmutable).toBe(true);
    expect((await day('2026-05-14', 'eur')).isImmutable).toBe(true);
    expect((await day('2026-05-15', 'eur')).isImmutable).toBe(false);
  });

  test('uses rates of one date and names it, and is not settled while the newest rate of its currency is missing', async () => {
    await rateOf('jpy');
    await opened.database.prisma.$executeRaw`
      UPDATE exchange_rates SET rates = rates - 'jpy' WHERE date > '2026-05-12'`;
    const { market } = await opened.openAnother();
    const stored = await opened.database.prisma.$queryRaw<{ usd: number; jpy: number }[]>`
      SELECT (rates->>'usd')::float8 AS usd, (rates->>'jpy')::float8 AS jpy FROM exchange_rates WHERE date = '2026-05-12'`;
    const [{ usd, jpy } = { usd: 0, jpy: 0 }] = stored;
    const currency = await rateOf('jpy', market);
    expect(currency).toMatch(/;on=2026-05-12;/);
    expect(Number(/rate=([\d.]+)/.exec(currency ?? '')?.[1])).toBeCloseTo(jpy / usd, 5);
    const days = (thru: string) =>
      market.range('solana', 'day', Date.parse('2026-05-01'), Date.parse(thru), 'json', 'jpy');
    expect((await days('2026-05-14')).isImmutable).toBe(false);
    expect((await days('2026-05-12')).isImmutable).toBe(true);
  });

  test('is rejected for the day after a currency was discontinued, but not for its last day', async () => {
    const last = Date.parse('2025-12-31');
    expect((await opened.market.date('solana', last, 'json', 'bgn')).currency).toContain('on=2025-12-31');
    await expect(opened.market.date('solana', last + DAY, 'json', 'bgn')).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});

describe('without the ECB', () => {
  test('there is no response while nothing is stored, and dollars are served as before', async () => {
    opened.sandbox.faults.always({ kind: 'status', status: 503 }, { path: EXR });
    await expect(rateOf()).rejects.toMatchObject({
      code: 'upstream_unavailable',
      status: 503,
    });
    await expect(opened.market.days('solana', 30, 'json', 'eur')).rejects.toMatchObject({ status: 503 });
    expect(await rateOf('usd')).toBeUndefined();
    expect(await rateOf('btc')).toMatch(/^btc;/);
    expect(opened.rates.warnings().map(warningText)).toEqual(['rates: server_error']);
    opened.sandbox.faults.clear();
    clock.advance(10 * MINUTE);
    expect(await rateOf()).toMatch(/on=2026-05-14;/);
  });

  test('the last rates are served indefinitely', async () => {
    const before = await rateOf();
    opened.sandbox.faults.always({ kind: 'status', status: 503 }, { path: EXR });
    clock.advance(30 * DAY);
    expect(await rateOf()).toBe(before);
    const response = await opened.market.latest('solana', 'eur');
    expect(response.outcome.failure).toBeUndefined();
    // The last request does not wait: no call is made while the last failure is recent.
    const calls = starts().length;
    await rateOf('jpy');
    expect(starts()).toHaveLength(calls);
  });

  test('a hanging request for all years and for the current one is not repeated while the failure is recent', async () => {
    opened.sandbox.faults.always({ kind: 'hangMidway' }, { path: EXR });
    await expect(rateOf()).rejects.toMatchObject({ code: 'upstream_timeout' });
    await expect(rateOf('jpy')).rejects.toMatchObject({ code: 'upstream_timeout' });
    expect(starts()).toEqual(['2020-01-01', '2026-01-01']);
  });

  test('the current year is served if the response with many years is too slow', async () => {
    opened.sandbox.faults.always({ kind: 'hangMidway' }, { path: /startPeriod=20[12]\d-01-01/ });
    opened.sandbox.faults.next({ kind: 'delay', ms: 1 }, { path: /startPeriod=2026-01-01/ });
    const response = await opened.market.latest('solana', 'eur');
    expect(response.currency).toMatch(/on=2026-05-14;/);
    expect(JSON.parse(String(response.body.identity.payload))).toMatchObject({ atl: null });
    expect(starts()).toEqual(['2020-01-01', '2026-01-01']);
  });

  test('data older than the stored rates is a gap', async () => {
    await opened.market.days('solana', 30, 'json', 'eur');
    expect(starts()).toEqual(['2026-01-01']);
    opened.sandbox.faults.always({ kind: 'html' }, { path: EXR });
    const response = await opened.market.days('solana', 200, 'json', 'eur');
    expect(response.gaps).toEqual(['2025-10-28/2026-01-01']);
    expect(response.isImmutable).toBe(false);
    const old = opened.market.range('solana', 'day', Date.parse('2025-11-01'), Date.parse('2025-11-02'), 'json', 'eur');
    await expect(old).rejects.toMatchObject({
      status: 502,
      code: 'upstream_invalid',
      members: { gaps: ['2025-11-01/2025-11-02'] },
    });
  });
});
