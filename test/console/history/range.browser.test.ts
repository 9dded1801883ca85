import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY } from '#core/clock';
import { onDate } from '#pages/format';
import type { TokenRecord } from '#prices/model/records';
import { openTestConsole, type TestConsole, type Visit, visit } from '../../support/browser/console.ts';
import type { Service } from '../../support/service/service.ts';

let opened: TestConsole;
let browser: Browser;
let service: Service;
let here: Visit;
let token: TokenRecord;
beforeAll(async () => {
  opened = await openTestConsole();
  ({ browser, service } = opened);
  // Stores candles, which then determine the available dates.
  const key = await service.createUser();
  for (const interval of ['minute', 'hourly', 'daily']) {
    const dates = `fromDate=${daysAgo(1)}&thruDate=${daysAgo(0)}`;
    await service.get(`/v1/prices/history/ohlc?tokenName=bitcoin&${dates}&interval=${interval}`, { key });
  }
});
afterAll(() => opened?.close());
beforeEach(async () => {
  here = await visit(browser, service.url, { viewport: { width: 1280, height: 900 } });
  const tokens = (await (await service.get('/v1/tokens')).json()) as [TokenRecord];
  [token] = tokens;
  await here.open(await service.createUser());
});
afterEach(async () => {
  expect(here.complaints).toEqual([]);
  await here.close();
});

const requested = (part: string) =>
  here.requests.filter((url) => url.includes(part)).map((url) => url.slice(service.url.length));
const search = () => new URL(here.page.url()).search;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);
const inWords = (date: string | null | undefined) => onDate(new Date(date ?? ''));
const button = (name: string) => here.page.locator('#history').getByRole('button', { name, exact: true });
const offered = () => here.page.locator('#intervals button:enabled').allInnerTexts();
const pressed = () => here.page.locator('#intervals [aria-pressed=true]').innerText();
const field = (name: string) => here.page.getByLabel(name, { exact: true });

async function go(query: string): Promise<void> {
  await here.page.goto(`${service.url}/${query}`);
  await here.page.locator('#dashboard').waitFor();
  await here.settled();
}

async function press(name: string): Promise<void> {
  await button(name).click();
  await here.settled();
}

async function apply(from: string, thru: string): Promise<void> {
  await field('From').fill(from);
  await field('To').fill(thru);
  await button('Apply').click();
  await here.settled();
}

describe('candles before the first date of the source', () => {
  it('are reported as missing, with the available dates and a button to show them', async () => {
    const { page } = here;
    await go('?metric=candles&range=2015-01-01..2015-02-01');
    const problem = page.locator('#chart-problem');
    const { day, hour, minute } = token.available.candles ?? {};
    await problem
      .getByText(`${inWords(day)} (daily), ${inWords(hour)} (hourly), ${inWords(minute)} (minute)`)
      .waitFor();
    expect(await problem.innerText()).toContain('no daily candles for Jan 1, 2015 to Feb 1, 2015');

    const today = daysAgo(0);
    await press(`Show ${inWords(day)} to ${inWords(today)}`);
    expect(search()).toBe(`?metric=candles&range=${day}..${today}`);
    expect([await field('From').inputValue(), await field('To').inputValue()]).toEqual([day, today]);
    expect(await problem.innerText()).toBe('');
    expect(Number(await page.getByRole('slider').getAttribute('aria-valuemax'))).toBeGreaterThan(700);
    expect(await page.locator('#chart-gaps').isVisible()).toBe(false);
  });

  it('cannot be selected, but prices of that time can', async () => {
    await press('Candles');
    await press('Custom');
    const { day } = token.available.candles ?? {};
    expect([await field('From').getAttribute('min'), await field('To').getAttribute('max')]).toEqual([day, daysAgo(0)]);
    const before = here.requests.length;
    await apply('2020-01-01', daysAgo(3));
    await here.page
      .locator('#dates')
      .getByText(`Candles are available from ${inWords(day)}.`)
      .waitFor();
    expect(here.requests.slice(before).filter((url) => url.includes('/history/'))).toEqual([]);

    await here.page.locator('#metrics').getByRole('button', { name: 'Price' }).click();
    await here.settled();
    const [earliest] = Object.values(token.available.prices).sort();
    expect(await field('From').getAttribute('min')).toBe(earliest);
  });
});

it('prices before the first date are reported in the same way', async () => {
  await go('?range=2015-01-01..2015-02-01');
  const { day } = token.available.prices;
  await here.page
    .locator('#chart-problem')
    .getByText(`Available from ${inWords(day)} (daily)`)
    .waitFor();
  await press(`Show ${inWords(day)} to ${inWords(daysAgo(0))}`);
  expect(search()).toBe(`?range=${day}..${daysAgo(0)}`);
});

describe('the interval', () => {
  it.each(['Price', 'Candles'])('of one day is hourly by default: %s', async (metric) => {
    await here.page.locator('#metrics').getByRole('button', { name: metric }).click();
    await press('Custom');
    const day = daysAgo(5);
    await apply(day, day);
    expect(requested(`fromDate=${day}&thruDate=${day}&interval=hourly`)).toHaveLength(1);
    expect([await offered(), await pressed()]).toEqual([['Hourly'], 'Hourly']);
    expect(await here.page.getByRole('slider').getAttribute('aria-valuemax')).toBe('23');
    await apply(daysAgo(14), day);
    expect(requested(`fromDate=${daysAgo(14)}&thruDate=${day}&interval=hourly`)).toHaveLength(1);
    await apply(daysAgo(15), day);
    expect([await offered(), await pressed()]).toEqual([['Hourly', 'Daily'], 'Daily']);
  });

  it('can be chosen for a range of days at the cost of one call, and is in the URL and the file name', async () => {
    const { page } = here;
    expect([await offered(), await pressed()]).toEqual([['Hourly', 'Daily'], 'Daily']);
    await press('Hourly');
    expect(search()).toBe('?interval=hourly');
    expect(requested(`fromDate=${daysAgo(30)}&thruDate=${daysAgo(0)}&interval=hourly`)).toHaveLength(1);
    const last = Number(await page.getByRole('slider').getAttribute('aria-valuemax'));
    expect(last).toBeGreaterThan(700);
    // A point for each hour, one whose hour began before the range, and the latest price.
    expect(last).toBeLessThanOrEqual(30 * 24 + 2);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('bitcoin-30d-hourly.csv');

    await page.reload();
    await here.settled();
    expect([await pressed(), search()]).toEqual(['Hourly', '?interval=hourly']);
    await press('1D');
    expect([await offered(), await pressed(), search()]).toEqual([['Minute', 'Hourly'], 'Minute', '?range=1d']);
    await press('Hourly');
    await page.goBack();
    await expect.poll(pressed).toBe('Minute');
  });

  it.each([
    ['?interval=weekly', '“weekly”', 'Daily', ''],
    ['?range=365d&interval=minute', '“minute” is not available', 'Daily', '?range=365d'],
    [
      '?metric=candles&range=2025-01-01..2025-01-02&interval=minute',
      '“minute” is not available',
      'Daily',
      '?metric=candles&range=2025-01-01..2025-01-02&interval=daily',
    ],
  ])('%s is corrected, with a notice', async (query, notice, interval, corrected) => {
    await go(query);
    expect(await here.page.locator('#notice').innerText()).toContain(notice);
    expect([await pressed(), search()]).toEqual([interval, corrected]);
  });
});

it('the readout of a candle has open, high, low, close and volume', async () => {
  const { page } = here;
  await press('Candles');
  await page.getByText('Show as a table').click();
  const last = page.locator('#points-body tr').first().locator('td');
  await expect.poll(() => last.count()).toBe(6);
  const [time, open, high, low, close, volume] = await last.allInnerTexts();
  await page.getByRole('slider').hover();
  await page.getByRole('slider').press('End');
  await expect
    .poll(() => page.locator('#readout-note').innerText())
    .toBe(`${time}: open ${open}, high ${high}, low ${low}, close ${close}, volume ${volume} BTC`);
  expect(await page.locator('#readout-value').innerText()).toBe(close);
});
