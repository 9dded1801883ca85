import { beforeEach, expect, it } from 'vitest';
import { BUILT_IN_TOKENS } from '#catalogue/token';
import type { TokenPrice } from '#client/index';
import { useConsole, type Visit } from '../support/browser/console.ts';

const NAMES = BUILT_IN_TOKENS.map(({ name }) => name);

const opened = useConsole();
let here: Visit;
let key: string;
beforeEach(async () => {
  key = await opened.service.createUser({ limit: 1000 });
  here = await opened.visit({ key });
  await here.loadWhole();
});

const requested = (part: string) =>
  here.requests.filter((url) => url.includes(part)).map((url) => url.slice(opened.service.url.length));
const text = (id: string) => here.page.locator(`#${id}`).innerText();
const dollars = (written: string) => Number(written.replace(/[$,]/g, ''));
const spoken = () => here.page.getByRole('slider').getAttribute('aria-valuetext');
const used = () => opened.service.used(key);

it('makes three calls: the prices of all tokens, the chart and the statistics', async () => {
  const { page } = here;
  const charged = here.charged.map((one) => decodeURIComponent(one.url()).slice(opened.service.url.length));
  expect(charged.sort()).toEqual([
    '/v1/prices/history/days?tokenName=bitcoin&days=30',
    '/v1/prices/latest/stats?token=btc',
    `/v1/prices/latest/tokens?tokenNames=${NAMES.join(',')}`,
  ]);
  // The cost on the page equals the charge.
  await page.getByRole('link', { name: / 997 left$/ }).waitFor();
  expect(await text('cost')).toContain('Refresh costs 3 calls: 1 for the prices (one for every ten tokens)');
  expect(await used()).toBe(3);

  const response = here.charged.find((one) => one.url().includes('/latest/tokens'));
  const received = (await response?.json()) as TokenPrice[];
  const bySize = received.toSorted((one, other) => (other.market_cap ?? 0) - (one.market_cap ?? 0));
  const rows = page.locator('#prices-body tr');
  expect(await rows.locator('.symbol').allInnerTexts()).toEqual(bySize.map(({ symbol }) => symbol.toUpperCase()));
  for (const [i, { current_price, change_24h }] of bySize.entries()) {
    const cells = await rows.nth(i).locator('td').allInnerTexts();
    expect(dollars(cells[0] ?? '')).toBeCloseTo(current_price ?? 0, 1);
    const percentage = Math.abs(change_24h ?? 0).toFixed(2);
    expect(cells[1]).toEqual(change_24h === null ? '–' : expect.stringMatching(`^[+−]?${percentage}%$`));
    expect(cells.slice(2)).toEqual([expect.stringMatching(/^\$[\d.]+[TBM]$/), expect.stringMatching(/^\$/)]);
  }
  expect(await text('prices-age')).toMatch(/^As of \d{1,2}:\d\d [AP]M$/);
});

it('refreshes with the calls that it states', async () => {
  const before = here.requests.length;
  await here.page.getByRole('button', { name: 'Refresh' }).click();
  await here.settled();
  const priced = here.requests.slice(before).filter((url) => url.includes('/v1/prices/'));
  expect(priced.map((url) => new URL(url).pathname).sort()).toEqual([
    '/v1/prices/history/days',
    '/v1/prices/latest/stats',
    '/v1/prices/latest/tokens',
  ]);
});

it('sorts by column, with mouse and keyboard', async () => {
  const { page } = here;
  const names = () => page.locator('#prices-body .name').allInnerTexts();
  const sortOf = (column: string) => page.getByRole('columnheader', { name: column }).getAttribute('aria-sort');
  const initial = await names();
  expect(await sortOf('Market cap')).toBe('descending');

  await page.getByRole('button', { name: 'Token', exact: true }).focus();
  await page.keyboard.press('Enter');
  expect([await sortOf('Token'), await sortOf('Market cap')]).toEqual(['ascending', null]);
  const byName = await names();
  expect(byName).toEqual(initial.toSorted());
  await page.keyboard.press('Space');
  expect(await sortOf('Token')).toBe('descending');
  expect(await names()).toEqual(byName.toReversed());

  await page.getByRole('button', { name: 'Price', exact: true }).first().click();
  const prices = (await page.locator('#prices-body .price').allInnerTexts()).map(dollars);
  expect(prices).toEqual(prices.toSorted((one, other) => other - one));
  expect(requested('/latest/tokens')).toHaveLength(1);
});

it('changes token and range, and shows other metrics and earlier ranges free of charge', async () => {
  const { page } = here;
  await page.getByRole('button', { name: 'Ethereum' }).click();
  await here.settled();
  expect(requested('tokenName=ethereum&days=30')).toHaveLength(1);
  expect(requested('/latest/stats?token=eth')).toHaveLength(1);
  await page.getByRole('heading', { name: 'Ethereum market data' }).waitFor();

  for (const [label, days] of [
    ['1D', 1],
    ['7D', 7],
    ['90D', 90],
    ['1Y', 365],
    ['All', 36_500],
  ] as const) {
    await page.getByRole('button', { name: label, exact: true }).click();
    await here.settled();
    expect(requested(`tokenName=ethereum&days=${days}`).length, label).toBe(1);
    expect(await spoken()).toMatch(/^\$[\d,.]+, .* points, lowest \$/);
  }
  const before = here.requests.length;
  const spent = await used();
  await page.getByRole('group', { name: 'Metric' }).getByRole('button', { name: 'Market cap' }).click();
  await expect.poll(spoken).toMatch(/^\$[\d.]+[BT],/);
  await page.getByRole('button', { name: 'Volume', exact: true }).click();
  await expect.poll(spoken).toMatch(/, on /);
  await page.getByRole('button', { name: '7D' }).click();
  await here.settled();
  const since = here.requests.slice(before).filter((url) => url.includes('/v1/prices'));
  expect([since, await used()]).toEqual([[], spent]);
});

it('states that a token has no statistics', async () => {
  await here.page.getByRole('button', { name: 'USDC' }).click();
  await here.settled();
  expect(await text('statistics-note')).toContain('On-chain statistics are not available');
  expect(requested('token=usdc')).toEqual([]);
  expect(await here.page.getByRole('button', { name: 'Statistics' }).isVisible()).toBe(false);
});

it('updates the remaining calls with each call', async () => {
  const { page } = here;
  const left = async () =>
    / (\d+) left$/.exec((await page.getByRole('link', { name: / left$/ }).innerText()).replace(/\s+/g, ' '))?.[1];
  await expect.poll(left).toBe(String(1000 - here.charged.length));
  const before = here.charged.length;
  await page.getByRole('button', { name: 'Solana' }).click();
  await here.settled();
  expect(here.charged.length).toBeGreaterThan(before);
  await expect.poll(left).toBe(String(1000 - here.charged.length));
});

it('shows the calls that it made', async () => {
  const { page } = here;
  const shown = () => text('snippet');
  const url = async () => /'(http[^']+)'$/.exec(await shown())?.[1] ?? '';
  expect(await shown()).not.toContain(key);
  expect(here.requests).toContain(await url());
  const calls = page.locator('#snippets');
  const market = () => here.requests.filter((one) => one.includes('/v1/prices/')).length;
  const before = market();
  for (const [name, part] of [
    ['Prices', '"tokenName": "bitcoin"'],
    ['Statistics', '"symbol": "BTC"'],
    ['Usage', '"periodStart": "'],
    ['Chart', '    "prices": ['],
  ] as const) {
    await calls.getByRole('button', { name, exact: true }).click();
    expect(here.requests.map(decodeURIComponent), name).toContain(await url());
    // The page shows its last response, without another call.
    expect([await text('snippet-answer-title'), await text('snippet-answer')]).toEqual([
      'Response',
      expect.stringContaining(part),
    ]);
  }
  expect(market()).toBe(before);
  await calls.getByRole('button', { name: 'Python' }).click();
  expect(await shown()).toContain('urlopen(request)');
  await calls.getByRole('button', { name: 'Client' }).click();
  expect(await shown()).toContain("client.priceHistory('bitcoin', { days: 30 })");
  await calls.getByRole('button', { name: 'curl (CSV)' }).click();
  await page.getByLabel('Show key').check();
  expect(await shown()).toContain(`X-API-KEY: ${key}`);
  expect(await shown()).toContain('Accept: text/csv');
  expect(await text('snippet-answer')).toMatch(/^date,price,market_cap,total_volume\n\d{4}-\d\d-\d\d,/);
});
