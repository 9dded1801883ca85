import { expect, it } from 'vitest';
import { useConsole, type Visit } from '../../support/browser/console.ts';
import { chartOn } from '../history/chart-page.ts';
import { pricesOn } from './prices-page.ts';

const opened = useConsole({ BASE_PATH: '/market' });
let here: Visit;

/** The query of the page's URL. */
const search = () => new URL(here.page.url()).search;
const heading = (name: string) => here.page.getByRole('heading', { name }).waitFor();
const selected = () => {
  const { pressed } = chartOn(here.page);
  return Promise.all([pressed('Metric'), pressed('Time range')]);
};
const read = () => chartOn(here.page).spoken();

it('opens the view of the URL after the sign-in, and updates the URL with every selection', async () => {
  here = await opened.visit({
    key: await opened.service.createUser(),
    path: '/?token=SOL&metric=market_cap&range=7d&currency=eur',
  });
  const { page } = here;
  await heading('Solana history');
  expect(await selected()).toEqual(['Market cap', '7D']);
  expect(await read()).toMatch(/^€/);
  expect(await page.title()).toBe('Solana market cap, 7 days, EUR · Quotient');
  expect(search()).toBe('?token=solana&metric=market_cap&range=7d&currency=eur');

  await pricesOn(page).select('Ethereum');
  await chartOn(page).group('Metric').getByRole('button', { name: 'Price' }).click();
  await page.getByRole('button', { name: '90D' }).click();
  await page.getByLabel('Currency').selectOption('usd');
  await here.settled();
  expect(search()).toBe('?token=ethereum&range=90d');
  expect(await page.title()).toBe('Ethereum price, 90 days, USD · Quotient');

  const calls = here.requests.filter((url) => url.includes('/v1/prices/')).length;
  for (const expected of [
    '?token=ethereum&range=90d&currency=eur',
    '?token=ethereum&range=7d&currency=eur',
    '?token=ethereum&metric=market_cap&range=7d&currency=eur',
    '?token=solana&metric=market_cap&range=7d&currency=eur',
  ]) {
    await page.goBack();
    await expect.poll(search).toBe(expected);
  }
  await heading('Solana history');
  await here.settled();
  expect(await read()).toMatch(/^€/);
  expect(await selected()).toEqual(['Market cap', '7D']);
  await page.goForward();
  await heading('Ethereum history');
  await here.settled();
  expect(
    here.requests.filter((url) => url.includes('/v1/prices/')),
    'going back is free',
  ).toHaveLength(calls);

  await page.reload();
  await heading('Ethereum history');
  await here.settled();
  expect(search()).toBe('?token=ethereum&metric=market_cap&range=7d&currency=eur');
  expect(await selected()).toEqual(['Market cap', '7D']);

  // A link without a currency shows US dollars to a user who prefers euros.
  await page.goto(`${opened.service.url}/?token=ethereum&range=90d`);
  await heading('Ethereum history');
  await here.settled();
  expect(await read()).toMatch(/^\$/);
  expect(search()).toBe('?token=ethereum&range=90d');
});

it('shows a custom range, and replaces invalid parts with a notice', async () => {
  here = await opened.visit({ key: await opened.service.createUser() });
  const { page } = here;
  expect(search()).toBe('');
  await here.go('/?range=2026-01-01..2026-02-01');
  expect(await page.getByLabel('From').inputValue()).toBe('2026-01-01');
  expect(await page.title()).toBe('Bitcoin price, Jan 1, 2026 to Feb 1, 2026, USD · Quotient');

  await page.goto(`${opened.service.url}/?token=doge&range=soon&metric=candles`);
  await page.getByText('Unknown time range “soon”.').waitFor();
  await page.getByText('Unknown token “doge”. Showing Bitcoin.').waitFor();
  await here.settled();
  expect(search()).toBe('?metric=candles');
  await page.goto(`${opened.service.url}/?token=usd-coin&metric=candles`);
  await heading('USDC history');
  await here.settled();

  await pricesOn(page).select('Solana');
  await here.settled();
  expect(await page.getByText(/^Unknown|^No candles/).count()).toBe(0);
});

it('keeps its query when an emailed link is opened', async () => {
  here = await opened.visit({ key: await opened.service.createUser() });
  const { page } = here;
  await page.goto(`${opened.service.url}/?token=solana#recover=abc`);
  await heading('Get a new owner key');
  expect(page.url()).toBe(`${opened.service.url}/?token=solana`);
  await page.getByRole('button', { name: 'Not now' }).click();
  await heading('Solana history');
});
