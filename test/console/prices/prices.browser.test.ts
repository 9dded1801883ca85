import { expect, it } from 'vitest';
import { BUILT_IN_TOKENS } from '#catalogue/token';
import type { TokenPrice } from '#client/index';
import type { LatestPrice } from '#prices/model/prices-records';
import { FIGURES } from '#statistics/statistics-records';
import { useConsole, type Visit } from '../../support/browser/console.ts';
import { chartOn } from '../history/chart-page.ts';
import { pricesOn } from './prices-page.ts';

const opened = useConsole();
let here: Visit;
let key: string;
let prices: ReturnType<typeof pricesOn>;

async function open(options: Parameters<typeof opened.visit>[0] = {}): Promise<void> {
  key = await opened.service.createUser({ limit: 1000 });
  here = await opened.visit({ key, ...options });
  prices = pricesOn(here.page);
}

/** The requests for market data, without the URL of the service. */
const priced = () =>
  here.requests
    .filter((url) => url.includes('/v1/prices/'))
    .map((url) => decodeURIComponent(url.slice(opened.service.url.length)));
const dollars = (written: string) => Number(written.replace(/[$,]/g, ''));
const used = () => opened.service.used(key);

const LATEST = `/v1/prices/latest/tokens?tokenNames=${BUILT_IN_TOKENS.map(({ name }) => name).join(',')}&sparkline=true`;
const CHART = '/v1/prices/history/days?tokenName=bitcoin&days=30';
const STATISTICS = '/v1/prices/latest/stats?token=btc';

it('costs one call at first, loads and saves the rest on request, and refreshes with the calls that it states', async () => {
  await open();
  const { page } = here;
  expect(priced()).toEqual([LATEST]);
  expect(await prices.costs()).toBe('A refresh costs 1 call.');
  expect(
    await page
      .getByText(/\bcosts?\b/i)
      .filter({ visible: true })
      .count(),
    'one line about costs',
  ).toBe(1);
  await page.reload();
  await here.settled();
  expect([priced().length, await used()], 'unchanged prices are free').toEqual([2, 1]);

  await here.loadWhole();
  expect(priced().slice(2).sort()).toEqual([CHART, STATISTICS]);
  await page.getByRole('link', { name: / 997 left$/ }).waitFor();
  expect([await prices.costs(), await used()]).toEqual(['A refresh costs 3 calls.', 3]);
  await prices.openCosts();
  const details = '1 for the prices (one for every ten tokens), 1 for the chart, 1 for the statistics.';
  await prices.panel.getByText(details).waitFor();
  await prices.panel.getByText(/^Live prices: 1 call per minute while .* 60 calls per hour/).waitFor();

  const [name, saved] = await chartOn(page).savedCsv();
  expect(name).toBe('bitcoin-30d.csv');
  expect(await used(), 'a file is free').toBe(3);
  const response = await opened.service.get(CHART, { key, headers: { accept: 'text/csv' } });
  // Lines with a time are excluded: JSON times end at the second, and newer samples may have arrived.
  const daily = (lines: string[]) => lines.filter((line) => /^[\d-]+,|^date/.test(line));
  expect(daily(saved)).toEqual(daily((await response.text()).split('\r\n')));
  // In the first minutes of a day, some midnights are not published yet.
  expect(daily(saved).length).toBeGreaterThan(28);

  await prices.refresh();
  await here.settled();
  expect(priced().slice(4).sort()).toEqual([CHART, STATISTICS, LATEST]);
  await prices.currency.selectOption('eur');
  await here.settled();
  expect(priced().slice(7).sort()).toEqual([`${CHART}&currency=eur`, `${LATEST}&currency=eur`]);
});

it('shows the figures of the service, sorted by any column, and opens the panels of the selected token', async () => {
  await open({ viewport: { width: 1280, height: 800 } });
  const { page } = here;
  const received = (await here.charged[0]?.json()) as TokenPrice[];
  const bySize = received.toSorted((one, other) => (other.market_cap ?? 0) - (one.market_cap ?? 0));
  const symbols = await prices.rows.locator('.symbol').allInnerTexts();
  expect(symbols).toEqual(bySize.map(({ symbol }) => symbol.toUpperCase()));
  for (const [i, { current_price, change_24h }] of bySize.entries()) {
    const row = prices.rows.nth(i);
    const [price, change, line, ...others] = await row.getByRole('cell').allInnerTexts();
    expect([line, await row.getByRole('img', { name: /^Last 24 hours: \$.* to \$/ }).count()]).toEqual(['', 1]);
    expect(dollars(price ?? '')).toBeCloseTo(current_price ?? 0, 1);
    const percentage = Math.abs(change_24h ?? 0).toFixed(2);
    expect(change).toEqual(change_24h === null ? '–' : expect.stringMatching(`^[+−]?${percentage}%$`));
    expect(others).toEqual([expect.stringMatching(/^\$[\d.]+[TBM]$/), expect.stringMatching(/^\$/)]);
  }
  await page
    .getByText(/^As of \d{1,2}:\d\d [AP]M UTC$/)
    .first()
    .waitFor();

  const sortOf = (column: string) => prices.head(column).getAttribute('aria-sort');
  const initial = await prices.names();
  expect(await sortOf('Market cap')).toBe('descending');
  await prices.head('Token').getByRole('button').press('Enter');
  expect([await sortOf('Token'), await sortOf('Market cap')]).toEqual(['ascending', null]);
  const byName = initial.toSorted();
  expect(await prices.names()).toEqual(byName);
  await page.keyboard.press('Space');
  expect([await sortOf('Token'), await prices.names()]).toEqual(['descending', byName.toReversed()]);
  await prices.head('Price').getByRole('button').click();
  const shown = (await prices.prices()).map(dollars);
  expect(shown).toEqual(shown.toSorted((one, other) => other - one));
  expect(priced()).toEqual([LATEST]);

  const chart = chartOn(page);
  expect(await prices.row('Bitcoin').getByRole('button', { pressed: true }).count()).toBe(1);
  await prices.row('Ethereum').getByRole('button').press('Enter');
  await page.getByRole('heading', { name: 'Ethereum history' }).waitFor();
  await page.getByRole('heading', { name: 'Ethereum on-chain statistics' }).waitFor();
  await here.settled();
  expect(await prices.row('Ethereum').getByRole('button', { pressed: true }).count()).toBe(1);
  const box = await chart.slider.boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? 0), 'the chart is in view').toBeLessThanOrEqual(800);
  expect(priced().slice(1), 'statistics cost a call').toEqual([CHART.replace('bitcoin', 'ethereum')]);
  await prices.market.getByText('All-time high').waitFor();

  await page.getByRole('button', { name: 'Load statistics: 1 call' }).click();
  await here.settled();
  const labels = () => prices.statistics.getByRole('term').allInnerTexts();
  expect(await labels()).toHaveLength(FIGURES.length - 2);
  expect(
    (await labels()).filter((label) => /hash|difficulty/i.test(label)),
    'proof of stake',
  ).toEqual([]);
  await prices.select('Bitcoin');
  await here.settled();
  expect(await labels()).toHaveLength(FIGURES.length);
  const response = await opened.service.get('/v1/prices/latest/stats?token=btc', { key });
  const record = (await response.json()) as Record<string, number | null>;
  const absent = FIGURES.filter((figure) => record[figure] === null);
  const missing = prices.statistics.getByRole('definition').filter({ hasText: 'not provided by' });
  expect(absent.length).toBeGreaterThan(0);
  expect((await missing.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))).toEqual(
    absent.map(() => '– not provided by Blockchain.com'),
  );

  const before = here.requests.length;
  await prices.select('USDC');
  await here.settled();
  await prices.statistics.getByText('On-chain statistics are not available').waitFor();
  expect(here.requests.slice(before).filter((url) => url.includes('/stats'))).toEqual([]);
  expect(await prices.snippets.getByRole('button', { name: 'Statistics' }).count()).toBe(0);
  await page.getByRole('link', { name: new RegExp(` ${1000 - (await used())} left$`) }).waitFor();
});

it('shows its calls as code that can be copied, and every price in the chosen currency, also at the next visit', async () => {
  await open({ permissions: ['clipboard-read', 'clipboard-write'] });
  await here.loadWhole();
  const { page } = here;
  const url = async () => /'(http[^']+)'$/.exec((await prices.code())[0] ?? '')?.[1] ?? '';
  const press = (name: string) => prices.snippets.getByRole('button', { name, exact: true }).click();
  const before = priced().length;
  for (const [name, part] of [
    ['Prices', '"tokenName": "bitcoin"'],
    ['Statistics', '"symbol": "BTC"'],
    ['Usage', '"periodStart": "'],
    ['Chart', '    "prices": ['],
  ] as const) {
    await press(name);
    expect(here.requests.map(decodeURIComponent), name).toContain(await url());
    await prices.snippets.getByRole('heading', { name: 'Response', exact: true }).waitFor();
    expect((await prices.code())[1]).toContain(part);
  }
  expect(priced().length, 'the page shows its last response').toBe(before);
  await press('Client');
  expect((await prices.code())[0]).toContain("client.priceHistory('bitcoin', { days: 30 })");
  await press('Copy with key');
  await prices.snippets.getByRole('button', { name: 'Copied' }).waitFor();
  await press('Python');
  await prices.snippets.getByRole('button', { name: 'Copy with key' }).click();
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toContain('urlopen(request)');
  expect((await prices.code())[0]).not.toContain(key);
  await press('curl (CSV)');
  await page.getByLabel('Show key').check();
  const [code, response] = await prices.code();
  expect(code).toContain(`X-API-KEY: ${key}`);
  expect(code).toContain('Accept: text/csv');
  expect(response).toMatch(/^date,price,market_cap,total_volume\n\d{4}-\d\d-\d\d,/);

  const choose = async (currency: string) => {
    await prices.currency.selectOption(currency);
    await here.settled();
  };
  await choose('eur');
  const path = '/v1/prices/latest/token?tokenName=bitcoin&currency=eur';
  const price = (await (await opened.service.get(path, { key })).json()) as LatestPrice;
  const [shown, , , cap, volume] = await prices.figures('Bitcoin');
  expect(Number(shown?.replace(/[€,]/g, ''))).toBeCloseTo(price.current_price, 1);
  expect([cap, volume]).toEqual([expect.stringMatching(/^€.*T$/), expect.stringMatching(/^€.*B$/)]);
  expect(await prices.market.innerText()).toMatch(/All-time high\s+€/);
  expect(await chartOn(page).spoken()).toMatch(/^€.*lowest €.*highest €/);
  expect((await prices.code())[0]).toContain('currency=eur');
  await prices.openCosts();
  await prices.panel.getByText('24h changes are based on the price in US dollars.').waitFor();

  await choose('btc');
  await here.go('/');
  expect([await prices.currency.inputValue(), (await prices.figures('Bitcoin'))[0]]).toEqual([
    'btc',
    'BTC\u00a01.0000',
  ]);
  await page.evaluate("localStorage.setItem('quotient:currency', 'xyz')");
  await here.go('/');
  expect(await prices.currency.inputValue(), 'a currency that is not offered').toBe('usd');
  expect((await prices.figures('Bitcoin'))[0]).toMatch(/^\$/);
});

it('offers a chart that is not free, and loads one that a link names', async () => {
  await open();
  const { page } = here;
  const chart = chartOn(page);
  await chart.panel.getByText('The chart shows the free sample.').waitFor();
  expect(await chart.spoken()).toMatch(/^\$.* in 30 days/);
  await prices.currency.selectOption('eur');
  await here.settled();
  await chart.panel.getByText('Not loaded.').waitFor();
  expect(priced().filter((path) => path.includes('/history/'))).toEqual([]);
  await chart.button('Load chart: 1 call').click();
  await here.settled();
  expect(await chart.spoken()).toMatch(/^€/);
  await here.go('/?token=solana&range=7d');
  expect(priced().at(-1)).toContain('tokenName=solana&days=7');
  await prices.button('Load statistics: 1 call').waitFor();

  // Another user of the same tab starts anew.
  await page.getByRole('link', { name: / left$/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  const before = priced().length;
  await here.open(await opened.service.createUser());
  expect(priced().slice(before)).toEqual([`${LATEST}&currency=eur`]);
});
