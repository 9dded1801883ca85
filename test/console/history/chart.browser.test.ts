import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useConsole, type Visit } from '../../support/browser/console.ts';
import { expectSoundLooks } from '../../support/browser/looks.ts';
import { chartOn } from './chart-page.ts';

const opened = useConsole({}, { hasTouch: true, viewport: { width: 800, height: 700 } });
let here: Visit;
let chart: ReturnType<typeof chartOn>;

const showsAll = (points: number) => expect.poll(chart.points).toEqual([0, points - 1, points - 1]);

async function open(range: string, prepare?: (page: Page) => Promise<unknown>): Promise<number> {
  here = await opened.visit({ key: await opened.service.createUser(), prepare });
  chart = chartOn(here.page);
  return show(range);
}

async function show(range: string): Promise<number> {
  await chart.button(range).click();
  await here.settled();
  const [, last = 0] = await chart.points();
  return last + 1;
}

/** The middle of the chart. */
async function middle(): Promise<{ x: number; y: number }> {
  await chart.slider.scrollIntoViewIfNeeded();
  const box = await chart.slider.boundingBox();
  return { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 };
}

it('is read, zoomed and panned with keys, and the table lists its points', async () => {
  const points = await open('90D');
  const { page } = here;
  const { slider } = chart;
  await slider.focus();
  await slider.press('Home');
  expect((await chart.points())[2]).toBe(0);
  const oldest = (await chart.spoken())?.split(', ')[0];
  await slider.blur();
  await slider.press('+');
  await expect.poll(async () => (await chart.points())[0]).toBeGreaterThan(5);
  const [first = 0, last = 0] = await chart.points();
  expect(last).toBeLessThan(points - 6);

  await slider.press('Home');
  await slider.press('ArrowLeft');
  expect((await chart.points())[2], 'the selected point stays in the visible part').toBe(first);
  await slider.press('End');
  await slider.press('ArrowRight');
  expect((await chart.points())[2]).toBe(last);

  await slider.press('Shift+ArrowLeft');
  await expect.poll(async () => (await chart.points())[0]).toBeLessThan(first);
  const moved = await chart.points();
  expect(moved[2], 'the selected point moves into the visible part').toBe(moved[1]);
  await slider.press('0');
  await expect.poll(async () => (await chart.points()).slice(0, 2)).toEqual([0, points - 1]);
  await slider.press('ArrowLeft');
  expect((await chart.points())[2], 'the selected point stays there').toBe((moved[2] ?? 0) - 1);

  await page.getByText('Show as a table').click();
  const rows = page.getByRole('table', { name: 'Points' }).getByRole('row');
  await expect.poll(() => rows.count()).toBe(points + 1);
  expect((await rows.last().getByRole('cell').innerText()).split(', ')[0]).toBe(oldest);
  for (const width of [360, 1500, 800]) {
    await page.setViewportSize({ width, height: 700 });
    await expect.poll(async () => (await chart.points()).slice(0, 2)).toEqual([0, points - 1]);
  }
});

it('is zoomed and reset with buttons, and keeps its scale in the URL', async () => {
  const points = await open('7D');
  const { page } = here;
  const log = chart.button('Log scale');
  const reset = chart.button('Reset zoom');
  const search = () => new URL(page.url()).search;
  expect(await reset.isDisabled()).toBe(true);
  await chart.button('Zoom in').click();
  await chart.button('Zoom in').click();
  await expect.poll(() => reset.isDisabled()).toBe(false);
  await chart.panel.getByText(/^Showing .+ 2\d{3}, \d+:\d\d [AP]M to .+$/).waitFor({ state: 'attached' });
  expect(await chart.spoken(), 'the change covers the whole range').toContain(' in 7 days');
  expect((await chart.savedCsv())[1], 'the file contains all points').toHaveLength(points + 2);

  const zoomed = await chart.points();
  await log.click();
  await expect.poll(() => log.getAttribute('aria-pressed')).toBe('true');
  expect((await chart.points()).slice(0, 2), 'another scale keeps the visible part').toEqual(zoomed.slice(0, 2));
  await expect.poll(search).toBe('?range=7d&scale=log');
  await reset.click();
  await showsAll(points);
  for (let i = 0; i < 9; i += 1) await chart.slider.press('+');
  await expect.poll(() => chart.button('Zoom in').isDisabled()).toBe(true);
  await show('30D');
  expect((await chart.points())[0], 'another range is not zoomed').toBe(0);

  await page.goBack();
  await here.settled();
  await page.reload();
  await here.settled();
  expect(await log.getAttribute('aria-pressed')).toBe('true');
  await log.click();
  await expect.poll(search).toBe('?range=7d');
  await page.goBack();
  await expect.poll(() => log.getAttribute('aria-pressed')).toBe('true');
});

it('keeps the latest value while the page scrolls under the mouse, until the mouse moves', async () => {
  await open('30D');
  const { page } = here;
  const latest = await chart.spoken();
  const { x, y } = await middle();
  const scrolled = await page.evaluate<number>('scrollY');
  // Above the plot, from where the page scrolls the plot to the mouse.
  await page.evaluate((top) => document.defaultView?.scrollTo(0, top), 0);
  await page.mouse.move(x, y);
  await page.evaluate((top) => document.defaultView?.scrollTo(0, top), scrolled);
  await expect.poll(() => chart.slider.evaluate((element) => element.matches(':hover'))).toBe(true);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  expect(await chart.spoken()).toBe(latest);
  await page.mouse.move(x + 1, y);
  await expect.poll(chart.spoken).not.toBe(latest);
});

it('is zoomed with Ctrl and the wheel, and panned with the mouse; the wheel alone scrolls the page', async () => {
  const points = await open('90D');
  const { page } = here;
  const { x, y } = await middle();
  await page.mouse.move(x, y);
  const before = await page.evaluate<number>('scrollY');
  await page.mouse.wheel(0, 60);
  await expect.poll(() => page.evaluate('scrollY')).not.toBe(before);
  expect((await chart.points()).slice(0, 2)).toEqual([0, points - 1]);

  await page.keyboard.down('Control');
  for (let turns = 0; turns < 4; turns += 1) await page.mouse.wheel(0, -100);
  await page.keyboard.up('Control');
  await expect.poll(async () => (await chart.points())[0]).toBeGreaterThan(5);
  const [first = 0] = await chart.points();
  await page.mouse.down();
  await page.mouse.move(x + 200, y, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => (await chart.points())[0]).toBeLessThan(first);
});

type Finger = [x: number, y: number];

/** Moves fingers from one set of positions to another, in small steps. */
async function drag(from: Finger[], to: Finger[]): Promise<void> {
  const cdp = await here.context.newCDPSession(here.page);
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', share: number) =>
    cdp.send('Input.dispatchTouchEvent', {
      type,
      touchPoints:
        type === 'touchEnd'
          ? []
          : from.map(([x, y], id) => {
              const [toX, toY] = to[id] ?? [x, y];
              return { id, x: x + (toX - x) * share, y: y + (toY - y) * share };
            }),
    });
  await send('touchStart', 0);
  for (let step = 1; step <= 10; step += 1) await send('touchMove', step / 10);
  await send('touchEnd', 1);
}

it('a finger selects points sideways and scrolls the page up and down, and two fingers zoom', async () => {
  const points = await open('30D');
  const { page } = here;
  // The page scrolls, so the chart could move under the mouse, which would then select a point.
  await page.mouse.move(0, 0);
  const { x, y } = await middle();
  const before = await page.evaluate<number>('scrollY');
  await drag([[x, y]], [[x - 150, y + 5]]);
  await expect.poll(async () => (await chart.points())[2]).toBeLessThan(points / 2);
  expect(await chart.spoken()).toMatch(/, \w+ \d+, 2\d{3}, \d+:\d\d [AP]M$/);
  expect(await page.evaluate('scrollY'), 'the page does not scroll').toBe(before);
  expect((await chart.points()).slice(0, 2), 'the chart does not zoom').toEqual([0, points - 1]);

  await drag([[x, y]], [[x + 3, y - 200]]);
  await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(before + 100);
  // The readout stays until the user touches another place.
  await page.getByRole('heading', { name: 'Bitcoin history' }).tap();
  await expect.poll(chart.spoken).toContain(' in 30 days');

  const center = await middle();
  const fingers = (distance: number): Finger[] => [
    [center.x - distance, center.y],
    [center.x + distance, center.y],
  ];
  await drag(fingers(20), fingers(120));
  await expect.poll(async () => (await chart.points())[0]).toBeGreaterThan(3);
});

it('draws candles at the cost of one call, and saves what it shows', async () => {
  await open('30D');
  const { page } = here;
  const requested = (part: string) => here.requests.filter((url) => url.includes(part));
  await page.setViewportSize({ width: 1280, height: 900 });
  await chart.group('Metric').getByRole('button', { name: 'Candles' }).click();
  for (const [range, interval] of [
    ['30D', 'daily'],
    ['7D', 'hourly'],
    ['1D', 'minute'],
  ] as const) {
    await show(range);
    expect(requested('/history/ohlc').filter((url) => url.endsWith(`interval=${interval}`))).toHaveLength(1);
    expect(await chart.spoken()).toMatch(/^\$[\d,.]+, .* candles, lowest \$/);
  }
  await chart.slider.press('End');
  expect(await chart.spoken()).toMatch(
    /^\$[\d,.]+, .*: open \$[\d,.]+, high \$[\d,.]+, low \$[\d,.]+, close \$[\d,.]+, volume [\d,.]+ BTC$/,
  );
  await page.getByText('Show as a table').click();
  const heads = page.getByRole('table', { name: 'Points' }).getByRole('columnheader');
  await expect
    .poll(() => heads.allInnerTexts())
    .toEqual(['Time (UTC)', 'Open', 'High', 'Low', 'Close', 'Volume, tokens']);
  const [name, lines] = await chart.savedCsv();
  expect([name, lines[0]]).toEqual(['bitcoin-1d-candles.csv', 'date,open,high,low,close,volume']);
  expect(lines[1]).toMatch(/^\d{4}-\d\d-\d\d( \d\d:\d\d:00)?(,[\d.]+){5}$/);

  // Kraken provides only its newest candles.
  await show('All');
  await chart.panel.getByText('The source does not provide older data').waitFor();
  const calls = here.charged.length;
  await show('1D');
  expect(here.charged).toHaveLength(calls);
});

const SERIES = [
  ['no point', []],
  ['one point', [7]],
  ['two points', [7, 7]],
  ['zeros only', [0, 0, 0]],
  ['a zero and other values', [1000, 0, 1e12, 1e-9]],
] as const;

it('draws any series on both scales', async () => {
  let prices: readonly number[] = [1];
  await open('1Y', (page) =>
    page.route('**/v1/prices/history/days?*', (route) => {
      const series = prices.map((price, day) => ({ date: new Date(Date.UTC(2026, 0, 1 + day)).toUTCString(), price }));
      return route.fulfill({ json: [{ prices: series, market_cap: series, total_volume: series }] });
    }),
  );
  const ranges = ['1D', '7D', '30D', '90D', 'All'];
  for (const [name, series] of SERIES) {
    prices = series;
    await chart.button(ranges.shift() ?? '').click();
    await here.settled();
    for (const metric of ['Market cap', 'Price', 'Volume', 'Price']) {
      await chart.group('Metric').getByRole('button', { name: metric }).click();
      const log = chart.button('Log scale');
      if (metric === 'Volume') expect(await log.isDisabled(), name).toBe(true);
      else await log.click();
    }
    if (series.length === 0) {
      await chart.panel.getByText('No price data in this time range.').waitFor();
      continue;
    }
    // The chart may not have drawn the last scale yet.
    await expect
      .poll(
        async () => {
          await chart.slider.press('End');
          await chart.slider.press('+');
          return chart.spoken();
        },
        { message: name },
      )
      .toMatch(/, Jan \d, 2026, 12:00 AM$/);
  }
});

it('keeps the plot in its place when the user points, compares or a call fails', async () => {
  await open('30D');
  const { page } = here;
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    const top = await chart.plotTop();
    await chart.slider.hover();
    await expect.poll(chart.spoken).not.toContain(' in 30 days');
    expect(await chart.plotTop(), `pointing, ${width} px`).toBe(top);
    await page.getByLabel('Compare with').fill('ethereum');
    await page.keyboard.press('Enter');
    await here.settled();
    expect(await chart.plotTop(), `comparing, ${width} px`).toBe(top);
    await page.route('**/v1/prices/history/**', (route) => route.fulfill({ status: 503, body: '' }));
    await chart.button('90D').click();
    await here.settled();
    await chart.panel.getByText('No data.').waitFor();
    expect(await chart.plotTop(), `an error, ${width} px`).toBe(top);
    await page.unroute('**/v1/prices/history/**');
    await show('30D');
    await chart.button('Remove Ethereum').click();
    await here.settled();
  }
  await chart.group('Metric').getByRole('button', { name: 'Candles' }).click();
  await here.settled();
  await chart.button('Custom').click();
  await expectSoundLooks(page, 'candles', [320, 768, 1280, 1920], '.history');
});
