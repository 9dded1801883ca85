import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { useConsole, type Visit } from '../../support/browser/console.ts';
import { expectSoundLooks } from '../../support/browser/looks.ts';

const opened = useConsole();
let here: Visit;

const PATH = '/v1/prices/latest/token';

/** A user whose key `Shop` has a limit and two calls. */
async function createUser() {
  const { service } = opened;
  const owner = await service.createUser();
  const shop = await service.createKey(owner, { label: 'Shop', dailyLimit: '1500' });
  for (let n = 0; n < 2; n += 1) await service.get(`${PATH}?tokenName=bitcoin`, { key: shop });
  return { owner, shop };
}

const panel = () => here.page.locator('#usage');
const select = (name: string) => panel().getByRole('button', { name, exact: true }).click();
const rowOf = (name: string) =>
  panel()
    .getByRole('row')
    .filter({ has: here.page.getByRole('rowheader', { name, exact: true }) });
const cellsOf = async (name: string) => rowOf(name).getByRole('cell').allInnerTexts();
const heads = () => panel().getByRole('columnheader').allInnerTexts();

async function saved(): Promise<{ name: string; lines: string[] }> {
  const download = here.page.waitForEvent('download');
  await panel().getByRole('button', { name: 'Download usage as CSV' }).click();
  const file = await download;
  const text = await readFile(await file.path(), 'utf8');
  return { name: file.suggestedFilename(), lines: text.trimEnd().split('\r\n') };
}

it('shows the calls by day, key and path with the limits of the keys, and saves each as CSV', async () => {
  const { owner, shop } = await createUser();
  here = await opened.visit({ key: owner });
  const today = new Date().toISOString().slice(0, 10);
  const rows = () => panel().getByRole('row').count();
  await expect.poll(rows).toBe(32);
  await expect.poll(async () => (await panel().getByRole('row').nth(1).innerText()).split(/\s+/).at(-1)).toBe('3');
  const byDay = await saved();
  expect(byDay.name).toBe(`quotient-usage-by-day-${today}.csv`);
  expect([byDay.lines.length, byDay.lines[0], byDay.lines.at(-1)]).toEqual([32, 'date,calls', `${today},3`]);

  await select('By key');
  await rowOf('Shop').waitFor();
  expect(await heads()).toEqual(['Key', 'Daily limit', 'Today', '7 days', '31 days']);
  expect(await cellsOf('Shop')).toEqual(['1,500', '2', '2', '2']);
  expect(await cellsOf('Owner key')).toEqual(['none', '1', '1', '1']);
  const byKey = await saved();
  expect(byKey.name).toBe(`quotient-usage-by-key-${today}.csv`);
  expect(byKey.lines).toContainEqual(expect.stringMatching(`^${today},\\d+,Shop,${shop.slice(0, 7)},1500,2$`));

  await select('By path');
  await rowOf(PATH).waitFor();
  expect(await cellsOf(PATH)).toEqual(['2', '2', '2']);
  const byPath = await saved();
  expect(byPath.lines[0]).toBe('date,path,calls');
  expect(byPath.lines).toContain(`${today},${PATH},2`);
  await expectSoundLooks(here.page, 'the usage', [320, 1280], '#usage');

  // The calls of the page appear without a reload.
  await here.page.locator('#chart-load').click();
  await here.settled();
  await rowOf('/v1/prices/history/days').waitFor();
});

it('saves numbers and columns for the spreadsheets of a German browser', async () => {
  const { owner, shop } = await createUser();
  here = await opened.visit({ key: owner, locale: 'de-DE' });
  await select('By key');
  await rowOf('Shop').waitFor();
  expect(await cellsOf('Shop')).toEqual(['1.500', '2', '2', '2']);
  const { lines } = await saved();
  expect(lines[0]).toBe('date;key_id;key;start;daily_limit;calls');
  expect(lines).toContainEqual(expect.stringMatching(`;Shop;${shop.slice(0, 7)};1500;2$`));
});

it('shows the calls, but no labels and limits, with a key that cannot manage the account', async () => {
  const { shop } = await createUser();
  here = await opened.visit({ key: shop });
  await select('By key');
  await panel().getByRole('rowheader').first().waitFor();
  expect(await heads()).toEqual(['Key', 'Today', '7 days', '31 days']);
  expect(await panel().innerText()).not.toContain('Shop');
});

it('refers to the message about an expired key', async () => {
  here = await opened.visit({ key: await opened.service.createUser({ validUntil: Date.now() - 86_400_000 }) });
  await panel().getByText('Not loaded. See the message at the top of this page.').waitFor();
  expect(await panel().getByRole('button', { name: 'Download usage as CSV' }).isDisabled()).toBe(true);
});
