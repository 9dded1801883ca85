import type { Page } from 'playwright-core';

/** The page Prices, as users reach it. */
export function pricesOn(page: Page) {
  const panel = page.getByRole('region', { name: 'Latest prices' });
  const table = panel.getByRole('table', { name: 'Prices' });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const rows = table.getByRole('row').filter({ has: page.getByRole('rowheader') });
  const row = (title: string) => rows.filter({ has: page.getByRole('button', { name: title }) });
  const statistics = page.getByRole('region', { name: /on-chain statistics$/ });
  const snippets = page.getByRole('region', { name: 'API call' });
  const costs = panel.getByText(/^A refresh costs \d+ calls?\.$/);
  return {
    panel,
    /** The age of the prices. */
    age: page.locator('header', { has: page.getByRole('heading', { name: 'Prices', exact: true }) }).locator('.age'),
    rows,
    row,
    button,
    statistics,
    snippets,
    market: page.getByRole('region', { name: /market data$/i }),
    live: page.getByRole('switch', { name: 'Live prices' }),
    currency: page.getByLabel('Currency'),
    autoRefresh: page.getByLabel('Auto-refresh'),
    /** The cells of a token: price, 24h change, line of 24 hours, market cap, 24h volume. */
    figures: (title: string) => row(title).getByRole('cell').allInnerTexts(),
    names: () => rows.locator('.name').allInnerTexts(),
    prices: () => rows.locator('.price').allInnerTexts(),
    head: (name: string) => table.getByRole('columnheader', { name }),
    search: (typed: string) => page.getByLabel('Search tokens').fill(typed),
    select: (title: string) => row(title).getByRole('button').click(),
    refresh: () => button('Refresh').click(),
    /** The one line about costs. */
    costs: () => costs.innerText(),
    openCosts: () => costs.click(),
    /** The code and the response of the API call. */
    code: () => snippets.getByRole('code').allInnerTexts(),
  };
}
