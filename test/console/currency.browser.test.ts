import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { LatestPrice } from '#prices/model/records';
import { openTestConsole, type TestConsole, type Visit, visit } from '../support/browser/console.ts';
import type { Service } from '../support/service/service.ts';

let opened: TestConsole;
let browser: Browser;
let service: Service;
let here: Visit;
let key: string;
beforeAll(async () => {
  opened = await openTestConsole();
  ({ browser, service } = opened);
});
afterAll(() => opened?.close());
beforeEach(async () => {
  here = await visit(browser, service.url);
  key = await service.createUser({ limit: 1000 });
  await here.openWhole(key);
});
afterEach(async () => {
  expect(here.complaints).toEqual([]);
  await here.close();
});

const text = (id: string) => here.page.locator(`#${id}`).innerText();
const firstRow = () => here.page.locator('#prices-body tr').first().locator('td').allInnerTexts();

async function choose(currency: string): Promise<void> {
  await here.page.getByLabel('Currency').selectOption(currency);
  await here.settled();
}

it('shows every price in the chosen currency, and requests nothing else', async () => {
  const { page } = here;
  const before = here.requests.length;
  await choose('eur');
  const requested = here.requests.slice(before).filter((url) => url.includes('/v1/prices/'));
  expect(requested.map((url) => decodeURIComponent(url.slice(service.url.length))).sort()).toEqual([
    '/v1/prices/history/days?tokenName=bitcoin&days=30&currency=eur',
    expect.stringMatching(/^\/v1\/prices\/latest\/tokens\?tokenNames=bitcoin,.*&currency=eur$/),
  ]);
  const price = (await (
    await service.get('/v1/prices/latest/token?tokenName=bitcoin&currency=eur', { key })
  ).json()) as LatestPrice;
  const [shown, , cap, volume] = await firstRow();
  expect(Number(shown?.replace(/[€,]/g, ''))).toBeCloseTo(price.current_price, 1);
  expect([cap, volume]).toEqual([expect.stringMatching(/^€.*T$/), expect.stringMatching(/^€.*B$/)]);
  expect(await text('market-data-list')).toMatch(/All-time high\s+€/);
  expect(await text('readout-value')).toMatch(/^€/);
  expect(await text('cost')).toContain('24h changes are based on the price in US dollars.');

  await page.getByRole('button', { name: 'Candles' }).click();
  await here.settled();
  expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/^€.*lowest €.*highest €/);
  expect(await text('snippet')).toContain('currency=eur');
});

it('saves a file in that currency', async () => {
  await choose('jpy');
  const [download] = await Promise.all([
    here.page.waitForEvent('download'),
    here.page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('bitcoin-30d-jpy.csv');
  const saved = await readFile(await download.path(), 'utf8');
  const path = '/v1/prices/history/days?tokenName=bitcoin&days=30&currency=jpy';
  const csv = await (await service.get(path, { key, headers: { accept: 'text/csv' } })).text();
  const [, first] = saved.split('\r\n');
  expect(csv.split('\r\n')).toContain(first);
});

it('restores the choice at the next visit, and ignores a currency that is not offered', async () => {
  await choose('btc');
  expect((await firstRow())[0]).toBe('BTC\u00a01.0000');
  await here.page.goto(`${service.url}/`);
  await here.page.locator('#dashboard').waitFor();
  await here.settled();
  expect(await here.page.getByLabel('Currency').inputValue()).toBe('btc');
  expect((await firstRow())[0]).toBe('BTC\u00a01.0000');

  await here.page.evaluate("localStorage.setItem('quotient:currency', 'xyz')");
  await here.page.goto(`${service.url}/`);
  await here.page.locator('#dashboard').waitFor();
  await here.settled();
  expect(await here.page.getByLabel('Currency').inputValue()).toBe('usd');
  expect((await firstRow())[0]).toMatch(/^\$/);
});
