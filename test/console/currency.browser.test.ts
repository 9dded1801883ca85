import { beforeEach, expect, it } from 'vitest';
import type { LatestPrice } from '#prices/model/prices-records';
import { useConsole, type Visit } from '../support/browser/console.ts';

const opened = useConsole();
let here: Visit;
let key: string;
beforeEach(async () => {
  key = await opened.service.createUser({ limit: 1000 });
  here = await opened.visit({ key });
  await here.loadWhole();
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
  expect(requested.map((url) => decodeURIComponent(url.slice(opened.service.url.length))).sort()).toEqual([
    '/v1/prices/history/days?tokenName=bitcoin&days=30&currency=eur',
    expect.stringMatching(/^\/v1\/prices\/latest\/tokens\?tokenNames=bitcoin,.*&currency=eur$/),
  ]);
  const price = (await (
    await opened.service.get('/v1/prices/latest/token?tokenName=bitcoin&currency=eur', { key })
  ).json()) as LatestPrice;
  const [shown, , cap, volume] = await firstRow();
  expect(Number(shown?.replace(/[€,]/g, ''))).toBeCloseTo(price.current_price, 1);
  expect([cap, volume]).toEqual([expect.stringMatching(/^€.*T$/), expect.stringMatching(/^€.*B$/)]);
  expect(await text('market-data-list')).toMatch(/All-time high\s+€/);
  expect(await here.page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/^€/);
  expect(await text('cost')).toContain('24h changes are based on the price in US dollars.');

  await page.getByRole('button', { name: 'Candles' }).click();
  await here.settled();
  expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/^€.*lowest €.*highest €/);
  expect(await text('snippet')).toContain('currency=eur');
});

it('restores the choice at the next visit, and ignores a currency that is not offered', async () => {
  await choose('btc');
  expect((await firstRow())[0]).toBe('BTC\u00a01.0000');
  await here.page.goto(`${opened.service.url}/`);
  await here.page.locator('#dashboard').waitFor();
  await here.settled();
  expect(await here.page.getByLabel('Currency').inputValue()).toBe('btc');
  expect((await firstRow())[0]).toBe('BTC\u00a01.0000');

  await here.page.evaluate("localStorage.setItem('quotient:currency', 'xyz')");
  await here.page.goto(`${opened.service.url}/`);
  await here.page.locator('#dashboard').waitFor();
  await here.settled();
  expect(await here.page.getByLabel('Currency').inputValue()).toBe('usd');
  expect((await firstRow())[0]).toMatch(/^\$/);
});
