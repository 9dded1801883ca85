import { beforeAll, expect, it } from 'vitest';
import { DAY } from '#core/clock';
import { onDate } from '#pages/format';
import type { TokenRecord } from '#prices/model/prices-records';
import { useConsole, type Visit } from '../../support/browser/console.ts';
import { chartOn } from './chart-page.ts';

const opened = useConsole({}, { viewport: { width: 1280, height: 900 } });
let here: Visit;
let chart: ReturnType<typeof chartOn>;
let token: TokenRecord;
beforeAll(async () => {
  // Stores candles, which then determine the available dates.
  const key = await opened.service.createUser();
  for (const interval of ['minute', 'hourly', 'daily']) {
    const dates = `fromDate=${daysAgo(1)}&thruDate=${daysAgo(0)}`;
    await opened.service.get(`/v1/prices/history/ohlc?tokenName=bitcoin&${dates}&interval=${interval}`, { key });
  }
  [token] = (await (await opened.service.get('/v1/tokens')).json()) as [TokenRecord];
});

const requested = (part: string) =>
  here.requests.filter((url) => url.includes(part)).map((url) => url.slice(opened.service.url.length));
const search = () => new URL(here.page.url()).search;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);
const inWords = (date: string | null | undefined) => onDate(new Date(date ?? ''));
const field = (name: string) => here.page.getByLabel(name, { exact: true });

/** Opens a link, signed in. */
async function go(query = ''): Promise<void> {
  here = await opened.visit({ key: await opened.service.createUser(), path: `/${query}` });
  chart = chartOn(here.page);
}

async function press(name: string): Promise<void> {
  await chart.button(name).click();
  await here.settled();
}

async function apply(from: string, thru: string): Promise<void> {
  await field('From').fill(from);
  await field('To').fill(thru);
  await press('Apply');
}

it.each([
  ['candles', 'metric=candles&'],
  ['price', ''],
])(
  '%s before the first date of the source are reported, with a button to show the available dates',
  async (name, metric) => {
    await go(`?${metric}range=2009-01-01..2009-02-01`);
    const { day } = (name === 'candles' ? token.available.candles : token.available.prices) ?? {};
    const problem = chart.panel.getByRole('alert');
    await problem.getByText(`no daily ${name} for Jan 1, 2009 to Feb 1, 2009`).waitFor();
    const today = daysAgo(0);
    await press(`Show ${inWords(day)} to ${inWords(today)}`);
    expect(search()).toBe(`?${metric}range=${day}..${today}`);
    expect([await field('From').inputValue(), await field('To').inputValue()]).toEqual([day, today]);
    expect(await field('From').evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
    expect((await problem.allInnerTexts()).join('')).toBe('');
    expect((await chart.points())[1]).toBeGreaterThan(300);
  },
);

it('candles state how far they go back, and their dates and intervals are limited, with the reason', async () => {
  await go();
  await press('Candles');
  await chart.panel.getByText(/^Candles go back \d+ days \(daily\), \d+ days \(hourly\)/).waitFor();
  await press('Custom');
  const { day } = token.available.candles ?? {};
  expect([await field('From').getAttribute('min'), await field('To').getAttribute('max')]).toEqual([day, daysAgo(0)]);
  const before = here.requests.length;
  await apply('2020-01-01', daysAgo(3));
  await chart.panel.getByText(`Candles are available from ${inWords(day)}.`).waitFor();
  await apply(daysAgo(1), daysAgo(3));
  await chart.panel.getByText('The end date is before the start date.').waitFor();
  expect(here.requests.slice(before).filter((url) => url.includes('/history/'))).toEqual([]);

  await press('Price');
  const [earliest] = Object.values(token.available.prices).sort();
  expect(await field('From').getAttribute('min')).toBe(earliest);
  const weekly = chart.group('Interval').getByRole('button', { name: 'Weekly' });
  expect([await weekly.isDisabled(), await weekly.getAttribute('title')]).toEqual([
    true,
    'Only candles have this interval. Select Candles.',
  ]);
  const top = await chart.plotTop();
  const fault = chart.panel.getByRole('status').filter({ hasText: 'Select Candles.' });
  await weekly.click({ force: true });
  await fault.waitFor();
  expect(await chart.plotTop(), 'the reason does not move the plot').toBe(top);
  await weekly.blur();
  await expect.poll(() => fault.count()).toBe(0);
  await press('Last month');
  expect(requested('date/range').at(-1)).toMatch(/fromDate=\d{4}-\d\d-01&thruDate=\d{4}-\d\d-(28|29|30|31)$/);
});

it('the interval of one day is hourly by default', async () => {
  await go();
  for (const [metric, ofDay, ofDays] of [
    ['Price', ['Hourly'], ['Hourly', 'Daily']],
    ['Candles', ['Hourly', '4 h'], ['Hourly', '4 h', 'Daily', 'Weekly']],
  ] as const) {
    await press(metric);
    await press('Custom');
    const day = daysAgo(5);
    await apply(day, day);
    const path = metric === 'Price' ? 'date/range' : 'ohlc';
    expect(requested(`${path}?tokenName=bitcoin&fromDate=${day}&thruDate=${day}&interval=hourly`)).toHaveLength(1);
    expect([await chart.offered('Interval'), await chart.pressed('Interval')]).toEqual([ofDay, 'Hourly']);
    expect((await chart.points())[1]).toBe(23);
    await apply(daysAgo(14), day);
    await apply(daysAgo(15), day);
    expect([await chart.offered('Interval'), await chart.pressed('Interval')]).toEqual([ofDays, 'Daily']);
    await press('30D');
  }
});

it('the interval can be chosen for a range of days at the cost of one call, and is in the URL and the file name', async () => {
  await go('?metric=candles&range=2025-01-01..2025-01-02&interval=minute');
  await here.page.getByText('“minute” is not available').waitFor();
  expect([await chart.pressed('Interval'), search()]).toEqual([
    'Daily',
    '?metric=candles&range=2025-01-01..2025-01-02&interval=daily',
  ]);
  await press('Price');
  await press('30D');
  expect([await chart.offered('Interval'), await chart.pressed('Interval')]).toEqual([['Hourly', 'Daily'], 'Daily']);
  await press('Hourly');
  expect(search()).toBe('?interval=hourly');
  expect(requested(`fromDate=${daysAgo(30)}&thruDate=${daysAgo(0)}&interval=hourly`)).toHaveLength(1);
  const [, last = 0] = await chart.points();
  expect(last).toBeGreaterThan(700);
  // A point for each hour, one whose hour began before the range, and the latest price.
  expect(last).toBeLessThanOrEqual(30 * 24 + 2);
  expect((await chart.savedCsv())[0]).toBe('bitcoin-30d-hourly.csv');

  await here.page.reload();
  await here.settled();
  expect([await chart.pressed('Interval'), search()]).toEqual(['Hourly', '?interval=hourly']);
  await press('1D');
  expect([await chart.offered('Interval'), await chart.pressed('Interval'), search()]).toEqual([
    ['Minute', 'Hourly'],
    'Minute',
    '?range=1d',
  ]);
  await press('Hourly');
  await here.page.goBack();
  await expect.poll(() => chart.pressed('Interval')).toBe('Minute');
});
