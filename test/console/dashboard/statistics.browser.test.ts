import { beforeEach, expect, it } from 'vitest';
import { FIGURES } from '#statistics/statistics-records';
import { useConsole, type Visit } from '../../support/browser/console.ts';

const opened = useConsole();
let here: Visit;
let key: string;
beforeEach(async () => {
  key = await opened.service.createUser();
  here = await opened.visit({ key });
  await here.loadWhole();
});

const labels = () => here.page.locator('#statistics-list dt').allInnerTexts();
const missing = () => here.page.locator('#statistics-list dd').filter({ hasText: 'not provided by' });

async function recordOf(symbol: string) {
  const response = await opened.service.get(`/v1/prices/latest/stats?token=${symbol}`, { key });
  return (await response.json()) as Record<string, number | null>;
}

it('lists every figure, and names the source of each missing one', async () => {
  const { page } = here;
  await page.getByRole('heading', { name: 'Bitcoin on-chain statistics' }).waitFor();
  expect(await labels()).toHaveLength(FIGURES.length);
  const record = await recordOf('btc');
  const absent = FIGURES.filter((figure) => record[figure] === null);
  expect(absent.length).toBeGreaterThan(0);
  expect(await missing().count()).toBe(absent.length);
  for (const text of await missing().allInnerTexts()) {
    expect(text).toMatch(/^–\s*not provided by Blockchain\.com$/);
  }
  expect((await page.locator('#statistics').innerText()).match(/as of/gi)).toHaveLength(1);
});

it('shows no hash rate or difficulty for Ethereum', async () => {
  const { page } = here;
  await page.getByRole('button', { name: 'Ethereum' }).click();
  await page.getByRole('heading', { name: `Ethereum on-chain statistics` }).waitFor();
  await here.settled();
  const shown = await labels();
  expect(shown).toHaveLength(FIGURES.length - 2);
  expect(shown.filter((label) => /hash|difficulty/i.test(label))).toEqual([]);
  const record = await recordOf('eth');
  expect([record.hashrate, record.difficulty]).toEqual([null, null]);
});

it('shows the name of a source if the list of sources fails to load', async () => {
  const { page } = here;
  await page.route('**/v1/sources', (route) => route.fulfill({ status: 503, body: '' }));
  await page.reload();
  await page.locator('#statistics-load').click();
  await here.settled();
  await expect.poll(() => page.locator('#statistics-note').innerText()).toBe('Source: bitcoin-stats.');
});

it('names the token before its statistics are loaded', async () => {
  const { page } = here;
  await page.reload();
  await page.getByRole('button', { name: 'Solana' }).click();
  await page.getByRole('heading', { name: 'Solana on-chain statistics' }).waitFor();
  expect(await labels()).toEqual([]);
});
