import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { warningText } from '#upstream/freshness';
import { startWithFaultyUpstream } from '../../support/service/chaos.ts';

const CSV = '/data/EXR/D..EUR.SP00.A?format=csvdata&detail=dataonly&startPeriod=2020-01-01';
const latest = (currency: string) => `/v1/prices/latest/token?tokenName=solana&currency=${currency}`;

let service: Awaited<ReturnType<typeof startWithFaultyUpstream>>;
beforeEach(async () => {
  service = await startWithFaultyUpstream({ start: '2026-05-15T12:00:00Z' });
});
afterEach(() => service.close());

const respondWith = (body: string) =>
  service.sandbox.faults.always({ kind: 'status', status: 200, body }, { path: 'EXR' });
const warnings = () => service.parts.prices.warnings().map(warningText);

/** The rates of the sandbox without some rows. */
async function ratesWithout(isLeftOut: (row: string) => boolean): Promise<string> {
  const text = await (await fetch(`${service.sandbox.exchangeRatesUrl}${CSV}`)).text();
  return text
    .split('\n')
    .filter((row) => !isLeftOut(row))
    .join('\n');
}

test('an empty response of the bank is 503 with Retry-After, and heals', async () => {
  respondWith('');
  for (const currency of ['eur', 'jpy']) {
    const response = await service.ask(latest(currency));
    expect([response.status, response.code]).toEqual([503, 'upstream_unavailable']);
    expect(Number(response.header('retry-after'))).toBeGreaterThan(0);
  }
  expect((await service.ask(latest('usd'))).status).toBe(200);
  service.sandbox.faults.clear();
  await service.pass(HOUR);
  expect((await service.ask(latest('jpy'))).status).toBe(200);
  const before = await service.ask(latest('eur'));

  // An empty response does not replace stored rates.
  respondWith('');
  await service.pass(DAY);
  const after = await service.ask(latest('eur'));
  expect([after.status, after.header('quotient-currency')]).toEqual([200, before.header('quotient-currency')]);
});

test('a currency that a response lacks is 503 with Retry-After, alone, and heals with its history', async () => {
  respondWith(await ratesWithout((row) => row.includes(',JPY,')));
  expect((await service.ask(latest('eur'))).status).toBe(200);
  const response = await service.ask(latest('jpy'));
  expect([response.status, Number(response.header('retry-after')) > 0]).toEqual([503, true]);
  service.sandbox.faults.clear();
  await service.pass(HOUR);
  expect((await service.ask(latest('jpy'))).status).toBe(200);
  const date = '/v1/prices/history/date?tokenName=solana&date=15-08-2025&currency=jpy';
  expect((await service.ask(date)).status).toBe(200);
});

test('a rate that a response lacked is added by the next response', async () => {
  respondWith(await ratesWithout((row) => row.includes(',JPY,') && row.includes('2026-05-14')));
  expect((await service.ask(latest('jpy'))).header('quotient-currency')).toContain('on=2026-05-13');
  service.sandbox.faults.clear();
  await service.pass(4 * HOUR);
  await service.ask(latest('jpy'));
  await service.pass(DAY);
  const date = '/v1/prices/history/date?tokenName=solana&date=14-05-2026&currency=jpy';
  expect((await service.ask(date)).header('quotient-currency')).toContain('on=2026-05-14');
});

test('a bank that responds without new rates is a warning', async () => {
  respondWith(await ratesWithout(() => false));
  await service.ask(latest('eur'));
  expect(warnings()).not.toContain('rates: stale');
  await service.pass(7 * DAY);
  await service.ask(latest('eur'));
  await service.pass(HOUR);
  expect(warnings()).toContain('rates: stale');
});
