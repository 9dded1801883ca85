import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { useConsole, type Visit } from '../support/browser/console.ts';
import { pricesOn } from './prices/prices-page.ts';

const opened = useConsole();
let here: Visit;

async function savedCsv(): Promise<string> {
  const download = here.page.waitForEvent('download');
  await here.page.getByRole('button', { name: 'Download CSV' }).click();
  return readFile(await (await download).path(), 'utf8');
}

const text = (selector: string) => here.page.locator(selector).first().innerText();

it('shows prices, counts and dates in the format of a German browser, and saves CSV for its spreadsheets', async () => {
  here = await opened.visit({ locale: 'de-DE' });
  expect(await text('.choice')).toContain('10.000 calls a month');
  await here.open(await opened.service.createUser({ limit: 10_000 }));
  const prices = pricesOn(here.page);
  expect((await prices.prices())[0]).toMatch(/^[\d.]+,\d\d\u00a0\$$/);
  await here.page.getByRole('link', { name: / 9\.999 left$/ }).waitFor();
  expect(await savedCsv()).toMatch(/^date;price;market_cap;total_volume\r\n\d{4}-\d\d-\d\d;"\d+,\d+";/);

  await here.page.getByRole('button', { name: 'curl (CSV)' }).click();
  expect((await prices.code())[0]).toContain('days=30&separator=semicolon');
  expect((await prices.code())[1]).toMatch(/^date;price;/);
  await here.page.getByRole('button', { name: 'curl', exact: true }).click();
  expect((await prices.code())[0]).not.toContain('separator');
  await here.go('/#/account');
  await here.page.getByText(/^Expires \d\d\.\d\d\.\d{4} \(in/).waitFor();
});

it('links contain the same dates in each locale', async () => {
  here = await opened.visit({ key: await opened.service.createUser(), locale: 'ar-EG' });
  await here.page.getByRole('button', { name: 'Custom' }).click();
  await here.page.getByLabel('From', { exact: true }).fill('2026-01-01');
  await here.page.getByLabel('To', { exact: true }).fill('2026-02-01');
  await here.page.getByRole('button', { name: 'Apply' }).click();
  await here.settled();
  expect(new URL(here.page.url()).search).toBe('?range=2026-01-01..2026-02-01');
});
