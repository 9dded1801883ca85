import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useConsole, type Visit } from '../../support/browser/console.ts';
import { expectSoundLooks } from '../../support/browser/looks.ts';
import { chartOn } from './chart-page.ts';

const opened = useConsole();
let here: Visit;
let chart: ReturnType<typeof chartOn>;

const search = () => decodeURIComponent(new URL(here.page.url()).search);
const lines = () => chart.panel.getByRole('list', { name: 'Lines' });
const legend = () => lines().getByRole('listitem').allInnerTexts();
const matching = (pattern: RegExp) => expect.stringMatching(pattern);

async function add(token: string): Promise<void> {
  await here.page.getByLabel('Compare with').fill(token);
  await here.page.keyboard.press('Enter');
  await here.settled();
}

/** Opens a link, signed in. */
async function follow(query: string, prepare?: (page: Page) => Promise<unknown>): Promise<void> {
  here = await opened.visit({ key: await opened.service.createUser({ limit: 10_000 }), path: `/${query}`, prepare });
  chart = chartOn(here.page);
}

it('adds tokens at the stated cost, reads their values, and removes them', async () => {
  await follow('');
  // The chart shows the free sample, so the first comparison loads both tokens.
  await chart.button('Add: 2 calls').waitFor();
  const before = here.charged.length;
  const suggested = () => here.page.getByLabel('Compare with').getAttribute('placeholder');
  expect(await suggested()).not.toBe('bitcoin');
  await add('eth');
  expect(here.charged.length - before).toBe(2);
  await chart.button('Add: 1 call').waitFor();
  await add('Solana');
  expect(here.charged.length - before).toBe(3);
  expect(search()).toBe('?compare=ethereum,solana');
  expect(['bitcoin', 'ethereum', 'solana']).not.toContain(await suggested());
  expect(await here.page.title()).toBe('Bitcoin, Ethereum, Solana price, 30 days, USD · Quotient');
  for (const metric of ['Candles', 'Volume']) expect(await chart.button(metric).isDisabled(), metric).toBe(true);

  await chart.slider.press('Home');
  expect(await chart.spoken()).toMatch(
    /^\w+ \d+, \d{4}, 12:00 AM: Bitcoin 100\.00 \(\$[\d,.]+\), Ethereum 100\.00 \(\$[\d,.]+\), Solana 100\.00 \(\$[\d,.]+\)$/,
  );
  expect(await legend()).toEqual([/^Bitcoin\s+100\.00/, /^Ethereum\s+100\.00/, /^Solana\s+100\.00/].map(matching));
  await chart.slider.press('ArrowRight');
  expect(await chart.spoken()).not.toContain('Bitcoin 100.00');
  await chart.slider.blur();
  // A row can lack a token, because tokens are sampled at different times. The next position then has another row.
  const box = await chart.slider.boundingBox();
  let x = (box?.width ?? 0) / 2;
  await expect
    .poll(async () => {
      await chart.slider.hover({ position: { x: x++, y: (box?.height ?? 0) / 2 } });
      return legend();
    })
    .toEqual([/^Bitcoin/, /^Ethereum( since [^\n]+)?\s+\d/, /^Solana( since [^\n]+)?\s+\d/].map(matching));

  const faults: [string, string][] = [
    ['nothing', 'Enter the name or the symbol of a token'],
    ['solana', 'The chart already shows Solana.'],
    ['', 'Enter the name or the symbol of a token'],
  ];
  for (const [token, fault] of faults) {
    await add(token);
    await chart.panel.getByText(fault).waitFor();
  }
  await chart.button('Remove Ethereum').click();
  await here.settled();
  expect([search(), here.charged.length - before]).toEqual(['?compare=solana', 3]);
  expect(await here.page.locator(':focus').innerText(), 'the focus stays in the comparison').toBe('Add: 1 call');
  await chart.button('Remove Solana').click();
  await here.settled();
  expect([search(), await lines().isVisible()]).toEqual(['', false]);
  await here.page.goBack();
  await expect.poll(legend).toEqual([matching(/^Bitcoin/), matching(/^Solana/)]);
});

it('opens a shared link, saves what the chart shows, and ends with the selection of a token', async () => {
  await follow('?token=solana&compare=btc,ar&range=90d&mode=price&scale=log&currency=eur');
  expect(search()).toBe('?token=solana&compare=bitcoin,arweave&mode=price&range=90d&scale=log&currency=eur');
  expect(await chart.pressed('Values')).toBe('By price');
  expect(await legend()).toEqual([/^Solana\s+€/, /^Bitcoin\s+€/, /^Arweave\s+€/].map(matching));
  const [name, rows] = await chart.savedCsv();
  expect(name).toBe('solana-bitcoin-arweave-90d-eur.csv');
  expect(rows[0]).toBe('date,solana,bitcoin,arweave,solana_index,bitcoin_index,arweave_index,currency');
  expect(rows[1]).toMatch(/^\d{4}-\d\d-\d\d(,[\d.]+){3},100,100,100,eur$/);

  await chart.button('Indexed to 100').click();
  expect(search()).toBe('?token=solana&compare=bitcoin,arweave&range=90d&currency=eur');
  expect(await chart.savedCsv(), 'the file does not depend on the shown values').toEqual([name, rows]);
  await here.page.getByText('Show as a table').click();
  const table = here.page.getByRole('table', { name: 'Points' });
  const heads = () => table.getByRole('columnheader').allInnerTexts();
  await expect.poll(heads).toEqual(['Time (UTC)', 'Solana', 'Bitcoin', 'Arweave']);
  expect(await table.getByRole('row').last().innerText()).toMatch(/100\.00\s+100\.00\s+100\.00$/);

  const before = here.charged.filter((response) => response.url().includes('/history/')).length;
  await here.page.getByRole('button', { name: 'Ethereum' }).first().click();
  await here.settled();
  expect(search()).toBe('?token=ethereum&range=90d&currency=eur');
  expect(here.charged.filter((response) => response.url().includes('/history/')).length - before).toBe(1);
});

it('shows a gap where a token has no data, and an empty line for a token without data', async () => {
  const at = (day: number) => new Date(Date.UTC(2026, 9, day)).toUTCString();
  const seriesOf = (days: readonly number[]) => days.map((day) => ({ date: at(day), price: day }));
  await follow('?compare=eth,sol&range=2026-10-01..2026-10-05&interval=daily', (page) =>
    page.route('**/v1/prices/history/**', (route) => {
      const token = new URL(route.request().url()).searchParams.get('tokenName');
      if (token === 'solana') {
        const problem = { type: '/docs/problems#no_data', title: 'No data', code: 'no_data', detail: 'No data.' };
        return route.fulfill({
          status: 404,
          contentType: 'application/problem+json',
          json: { ...problem, status: 404 },
        });
      }
      const prices = seriesOf(token === 'bitcoin' ? [1, 2, 3, 4, 5] : [2, 3, 5]);
      return route.fulfill({ json: { prices, market_cap: prices, total_volume: prices } });
    }),
  );
  const [, ethereum, solana] = await legend();
  expect(ethereum).toMatch(/^Ethereum since Oct 2, 2026\s+250\.00/);
  expect(solana).toMatch(/^Solana\s+no data/);
  expect(await chart.panel.getByRole('alert').allInnerTexts()).toEqual(['']);
  await chart.slider.press('ArrowLeft');
  expect(await chart.spoken()).toBe(
    'Oct 4, 2026, 12:00 AM: Bitcoin 400.00 ($4.0000), Ethereum no data, Solana no data',
  );
  expect((await chart.savedCsv())[1].slice(1, 5)).toEqual([
    '2026-10-01,1,,,100,,',
    '2026-10-02,2,2,,200,100,',
    '2026-10-03,3,3,,300,150,',
    '2026-10-04,4,,,400,,',
  ]);
});

it('distinguishes five lines without color, and fits the screen', async () => {
  await follow('?compare=eth,sol,ar,usdc');
  const dashes = () =>
    lines()
      .locator('svg')
      .evaluateAll((samples) =>
        samples.map((one) =>
          Reflect.get(one.ownerDocument.defaultView?.getComputedStyle(one) ?? {}, 'strokeDasharray'),
        ),
      );
  expect(new Set(await dashes()).size).toBe(5);
  await expectSoundLooks(here.page, 'a comparison', [320, 768, 1280], '.history');
  await here.page.emulateMedia({ forcedColors: 'active' });
  expect(new Set(await dashes()).size).toBe(5);
});
