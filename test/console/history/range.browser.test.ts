import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY } from '#core/clock';
import { onDate } from '#pages/format';
import type { TokenRecord } from '#prices/model/prices-records';
import { useConsole, type Visit } from '../../support/browser/console.ts';

const opened = useConsole({}, { viewport: { width: 1280, height: 900 } });
let here: Visit;
let token: TokenRecord;
beforeAll(async () => {
  // Stores candles, which then determine the available dates.
  const key = await opened.service.createUser();
  for (const interval of ['minute', 'hourly', 'daily']) {
    const dates = `fromDate=${daysAgo(1)}&thruDate=${daysAgo(0)}`;
    await opened.service.get(`/v1/prices/history/ohlc?tokenName=bitcoin&${dates}&interval=${interval}`, { key });
  }
});
beforeEach(async () => {
  const tokens = (await (await opened.service.get('/v1/tokens')).json()) as [TokenRecord];
  [token] = tokens;
});

const requested = (part: string) =>
  here.requests.filter((url) => url.includes(part)).map((url) => url.slice(opened.service.url.length));
const search = () => new URL(here.page.url()).search;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);
const inWords = (date: string | null | undefined) => onDate(new Date(date ?? ''));
const button = (name: string) => here.page.locator('#history').getByRole('button', { name, exact: true });
const offered = () => here.page.locator('#intervals button:enabled').allInnerTexts();
const pressed = () => here.page.locator('#intervals [aria-pressed=true]').innerText();
const field = (name: string) => here.page.getByLabel(name, { exact: true });

/** Opens a link, signed in. */
async function go(query = ''): Promise<void> {
  here = await opened.visit({ key: await opened.service.createUser(), path: `/${query}` });
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
    await go('?metric=candles&range=2015-01-01..2015-02-01');
    const { page } = here;
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
    await go();
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
  it.each([
    ['Price', ['Hourly'], ['Hourly', 'Daily']],
    ['Candles', ['Hourly', '4 h'], ['Hourly', '4 h', 'Daily', 'Weekly']],
  ])('of one day is hourly by default: %s', async (metric, ofDay, ofDays) => {
    await go();
    await here.page.locator('#metrics').getByRole('button', { name: metric }).click();
    await press('Custom');
    const day = daysAgo(5);
    await apply(day, day);
    expect(requested(`fromDate=${day}&thruDate=${day}&interval=hourly`)).toHaveLength(1);
    expect([await offered(), await pressed()]).toEqual([ofDay, 'Hourly']);
    expect(await here.page.getByRole('slider').getAttribute('aria-valuemax')).toBe('23');
    await apply(daysAgo(14), day);
    expect(requested(`fromDate=${daysAgo(14)}&thruDate=${day}&interval=hourly`)).toHaveLength(1);
    await apply(daysAgo(15), day);
    expect([await offered(), await pressed()]).toEqual([ofDays, 'Daily']);
  });

  it('can be chosen for a range of days at the cost of one call, and is in the URL and the file name', async () => {
    await go();
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

  it('that is not available is corrected, with a notice', async () => {
    await go('?metric=candles&range=2025-01-01..2025-01-02&interval=minute');
    expect(await here.page.locator('#notice').innerText()).toContain('“minute” is not available');
    expect([await pressed(), search()]).toEqual([
      'Daily',
      '?metric=candles&range=2025-01-01..2025-01-02&interval=daily',
    ]);
  });
});
