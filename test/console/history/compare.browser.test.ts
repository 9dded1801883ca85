import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useConsole, type Visit } from '../../support/browser/console.ts';
import { expectSoundLooks } from '../../support/browser/looks.ts';

const opened = useConsole();
let here: Visit;

const search = () => decodeURIComponent(new URL(here.page.url()).search);
const spoken = () => here.page.locator('#chart').getAttribute('aria-valuetext');
const legend = () => here.page.locator('.legend-item').allInnerTexts();
const button = (name: string) => here.page.getByRole('button', { name, exact: true });

async function add(token: string): Promise<void> {
  await here.page.getByLabel('Compare with').fill(token);
  await here.page.keyboard.press('Enter');
  await here.settled();
}

/** Opens a link, signed in. */
async function follow(query: string, prepare?: (page: Page) => Promise<unknown>): Promise<void> {
  here = await opened.visit({ key: await opened.service.createUser({ limit: 10_000 }), path: `/${query}`, prepare });
}

async function savedCsv(): Promise<[name: string, lines: string[]]> {
  const download = here.page.waitForEvent('download');
  await button('Download CSV').click();
  const file = await download;
  return [file.suggestedFilename(), (await readFile(await file.path(), 'utf8')).split('\r\n')];
}

it('adds tokens at the stated cost, and reads their values with the keyboard', async () => {
  await follow('');
  // The chart shows the free sample, so the first comparison loads both tokens.
  await button('Add: 2 calls').waitFor();
  const before = here.charged.length;
  const suggested = () => here.page.getByLabel('Compare with').getAttribute('placeholder');
  expect(await suggested()).not.toBe('bitcoin');
  await add('eth');
  expect(here.charged.length - before).toBe(2);
  await button('Add: 1 call').waitFor();
  await add('Solana');
  expect(here.charged.length - before).toBe(3);
  expect(search()).toBe('?compare=ethereum,solana');
  expect(['bitcoin', 'ethereum', 'solana']).not.toContain(await suggested());
  expect(await here.page.title()).toBe('Bitcoin, Ethereum, Solana price, 30 days, USD · Quotient');
  await expect.poll(() => here.page.locator('#cost').innerText()).toContain('3 for the chart');

  await here.page.locator('#chart').focus();
  await here.page.keyboard.press('Home');
  expect(await spoken()).toMatch(
    /^\w+ \d+, \d{4}, 12:00 AM: Bitcoin 100\.00 \(\$[\d,.]+\), Ethereum 100\.00 \(\$[\d,.]+\), Solana 100\.00 \(\$[\d,.]+\)$/,
  );
  expect(await legend()).toEqual([/^Bitcoin\s+100\.00/, /^Ethereum\s+100\.00/, /^Solana\s+100\.00/].map(matching));
  await here.page.keyboard.press('ArrowRight');
  expect(await spoken()).not.toContain('Bitcoin 100.00');

  await button('Remove Ethereum').click();
  await here.settled();
  expect([search(), here.charged.length - before]).toEqual(['?compare=solana', 3]);
  await button('Remove Solana').click();
  await here.settled();
  expect([search(), await here.page.locator('#legend').isVisible()]).toEqual(['', false]);
  await here.page.goBack();
  await expect.poll(legend).toEqual([matching(/^Bitcoin/), matching(/^Solana/)]);
});

const matching = (pattern: RegExp) => expect.stringMatching(pattern);

it('reads values at the pointer', async () => {
  await follow('?compare=ethereum&range=7d');
  const box = await here.page.locator('#chart').boundingBox();
  const readout = here.page.locator('#readout-value');
  const last = await readout.innerText();
  await here.page.locator('#chart').scrollIntoViewIfNeeded();
  // A row can lack a token, because tokens are sampled at different times. The next position then has another row.
  let x = (box?.width ?? 0) / 2;
  const next = () => here.page.locator('#chart').hover({ position: { x: x++, y: (box?.height ?? 0) / 2 } });
  await next();
  await expect.poll(() => readout.innerText()).not.toBe(last);
  await expect
    .poll(async () => {
      await next();
      return legend();
    })
    .toEqual([matching(/^Bitcoin/), matching(/^Ethereum( since [^\n]+)?\s+\d/)]);
});

it('opens a shared link, and saves what the chart shows', async () => {
  await follow('?token=solana&compare=btc,ar&range=90d&mode=price&scale=log&currency=eur');
  expect(search()).toBe('?token=solana&compare=bitcoin,arweave&mode=price&range=90d&scale=log&currency=eur');
  expect(await button('By price').getAttribute('aria-pressed')).toBe('true');
  expect(await legend()).toEqual([/^Solana\s+€/, /^Bitcoin\s+€/, /^Arweave\s+€/].map(matching));
  const [name, lines] = await savedCsv();
  expect(name).toBe('solana-bitcoin-arweave-90d-eur.csv');
  expect(lines[0]).toBe('date,solana,bitcoin,arweave,currency');
  expect(lines[1]).toMatch(/^\d{4}-\d\d-\d\d,[\d.]+,[\d.]+,[\d.]+,eur$/);

  await button('Indexed to 100').click();
  expect(search()).toBe('?token=solana&compare=bitcoin,arweave&range=90d&currency=eur');
  const [indexName, indices] = await savedCsv();
  expect(indexName).toBe('solana-bitcoin-arweave-90d-eur-indexed.csv');
  expect(indices[1]).toMatch(/^\d{4}-\d\d-\d\d,100,100,100,eur$/);
  await here.page.getByText('Show as a table').click();
  const table = here.page.locator('#points table');
  await expect.poll(() => table.locator('th').allInnerTexts()).toEqual(['Time (UTC)', 'Solana', 'Bitcoin', 'Arweave']);
  expect(await table.locator('tbody tr').last().innerText()).toMatch(/100\.00\s+100\.00\s+100\.00$/);
});

it('rejects unknown tokens and tokens that it already shows, below the field', async () => {
  await follow('?compare=eth,sol,ar,usdc');
  const before = here.charged.length;
  const fault = here.page.locator('#compare-form .fault');
  for (const [token, text] of [
    ['nothing', 'Enter the name or the symbol of a token'],
    ['solana', 'The chart already shows Solana.'],
    ['', 'Enter the name or the symbol of a token'],
  ] as const) {
    await add(token);
    expect(await fault.innerText()).toContain(text);
  }
  expect(here.charged.length).toBe(before);
});

it('shows a gap where a token has no data, and its start', async () => {
  const at = (day: number) => new Date(Date.UTC(2026, 9, day)).toUTCString();
  const seriesOf = (days: readonly number[]) => days.map((day) => ({ date: at(day), price: day }));
  await follow('?compare=eth&range=2026-10-01..2026-10-05&interval=daily', (page) =>
    page.route('**/v1/prices/history/**', (route) => {
      const isBitcoin = route.request().url().includes('tokenName=bitcoin');
      const prices = seriesOf(isBitcoin ? [1, 2, 3, 4, 5] : [2, 3, 5]);
      return route.fulfill({ json: { prices, market_cap: prices, total_volume: prices } });
    }),
  );
  expect((await legend())[1]).toMatch(/^Ethereum since Oct 2, 2026\s+250\.00/);
  await here.page.locator('#chart').focus();
  await here.page.keyboard.press('ArrowLeft');
  expect(await spoken()).toBe('Oct 4, 2026, 12:00 AM: Bitcoin 400.00 ($4.0000), Ethereum no data');
  expect((await savedCsv())[1].slice(1, 5)).toEqual([
    '2026-10-01,100,',
    '2026-10-02,200,100',
    '2026-10-03,300,150',
    '2026-10-04,400,',
  ]);
});

it('has an empty line for a token without data in the range', async () => {
  await follow('?compare=eth', (page) =>
    page.route('**/v1/prices/history/**tokenName=ethereum**', (route) =>
      route.fulfill({
        status: 404,
        contentType: 'application/problem+json',
        json: { type: '/docs/problems#no_data', title: 'No data', status: 404, code: 'no_data', detail: 'No data.' },
      }),
    ),
  );
  expect((await legend())[1]).toMatch(/^Ethereum\s+no data/);
  expect(await here.page.locator('#chart-problem').innerText()).toBe('');
});

it('selecting a token ends the comparison, at the cost of one token', async () => {
  await follow('?compare=eth');
  const before = here.charged.filter((response) => response.url().includes('/history/')).length;
  await here.page.locator('#prices-body').getByRole('button', { name: 'Solana' }).click();
  await here.settled();
  expect(search()).toBe('?token=solana');
  expect(here.charged.filter((response) => response.url().includes('/history/')).length - before).toBe(1);
});

it('distinguishes the lines without color, and fits the screen', async () => {
  await follow('?compare=eth,sol,ar,usdc');
  const dashes = () =>
    here.page
      .locator('.line-sample')
      .evaluateAll((lines) =>
        lines.map((line) =>
          Reflect.get(line.ownerDocument.defaultView?.getComputedStyle(line) ?? {}, 'strokeDasharray'),
        ),
      );
  expect(new Set(await dashes()).size).toBe(5);
  await expectSoundLooks(here.page, 'a comparison', [320, 768, 1280], '#history');
  await here.page.emulateMedia({ forcedColors: 'active' });
  expect(new Set(await dashes()).size).toBe(5);
});
