import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { useConsole, type Visit } from '../../support/browser/console.ts';
import { expectSoundLooks } from '../../support/browser/looks.ts';

const opened = useConsole({ BASE_PATH: '/market' });
let here: Visit;

const PATH = '/v1/prices/latest/token';
const PRICE = `${PATH}?tokenName=bitcoin`;
const HISTORY = '/v1/prices/history/days?tokenName=bitcoin&days=none';

/** A user whose key `Shop` has a limit and two calls. */
async function createUser() {
  const { service } = opened;
  const owner = await service.createUser();
  const shop = await service.createKey(owner, { label: 'Shop', dailyLimit: '1500' });
  // Successful requests are recorded after the log was read.
  await service.get('/v1/user/requests', { key: owner });
  for (let n = 0; n < 2; n += 1) await service.get(PRICE, { key: shop });
  await service.get(HISTORY, { key: shop });
  return { owner, shop };
}

const visit = async (key: string, options: Parameters<typeof opened.visit>[0] = {}) => {
  here = await opened.visit({ key, path: '/#/usage', ...options });
};
const panel = (name: string) => here.page.getByRole('region', { name, exact: true });
const breakdown = () => panel('Breakdown');
const log = () => panel('Request log');
const rowOf = (place: Locator, name: string) =>
  place.getByRole('row').filter({ has: here.page.getByRole('rowheader', { name, exact: true }) });
const cellsOf = async (name: string) => rowOf(breakdown(), name).getByRole('cell').allInnerTexts();
const heads = () => breakdown().getByRole('columnheader').allInnerTexts();
const left = (calls: string) => here.page.getByRole('link', { name: new RegExp(` ${calls} left$`) });
const requests = (text: string) => log().getByRole('row').filter({ hasText: text });

async function saved(): Promise<{ name: string; lines: string[] }> {
  const download = here.page.waitForEvent('download');
  await breakdown().getByRole('button', { name: 'Download usage as CSV' }).click();
  const file = await download;
  const text = await readFile(await file.path(), 'utf8');
  return { name: file.suggestedFilename(), lines: text.trimEnd().split('\r\n') };
}

it('shows the calls by key, path and day, and the latest requests with their details', async () => {
  const { owner, shop } = await createUser();
  await visit(owner);
  const { service } = opened;
  const today = new Date().toISOString().slice(0, 10);
  await rowOf(breakdown(), 'Shop Daily limit 1,500').waitFor();
  expect(await heads()).toEqual(['Key', 'Today', '7 days', '31 days']);
  expect(await cellsOf('Shop Daily limit 1,500')).toEqual(['2', '2', '2']);
  await left('999,998').waitFor();
  expect(here.requests.filter((url) => url.includes('/v1/user/usage'))).toHaveLength(1);
  const byKey = await saved();
  expect(byKey.name).toBe(`quotient-usage-by-key-${today}.csv`);
  expect(byKey.lines).toContainEqual(expect.stringMatching(`^${today},\\d+,Shop,${shop.slice(0, 7)},1500,2$`));
  await panel('Calls per day')
    .getByText(/The period ends on/)
    .waitFor();

  await breakdown().getByRole('button', { name: 'By path' }).click();
  await rowOf(breakdown(), PATH).waitFor();
  expect(await cellsOf(PATH)).toEqual(['2', '2', '2']);
  expect((await saved()).lines).toContain(`${today},${PATH},2`);

  await breakdown().getByRole('button', { name: 'By day' }).click();
  await breakdown().getByText('10 of 31').waitFor();
  await breakdown().getByRole('button', { name: 'Show more' }).click();
  await breakdown().getByText('20 of 31').waitFor();
  expect(await breakdown().getByRole('row').count()).toBe(21);
  expect((await saved()).lines).toHaveLength(32);

  const [, status, request] = await requests(PRICE).first().locator('th, td').allInnerTexts();
  expect([status, request]).toEqual(['200', `GET ${PRICE}`]);
  expect(await requests('/v1/user/data').count()).toBe(0);
  await log()
    .getByText(/recorded since .*\d/)
    .waitFor();
  await log().getByLabel('Failed only').check();
  expect([await requests(PRICE).count(), await requests(HISTORY).count()]).toEqual([0, 1]);
  await log().getByLabel('Failed only').uncheck();
  await log().getByRole('searchbox').fill('latest');
  expect([await requests(PRICE).count(), await requests(HISTORY).count()]).toEqual([2, 0]);
  await log().getByRole('searchbox').fill('nothing');
  await log().getByRole('button', { name: 'Clear the filter' }).click();
  await log().getByRole('combobox', { name: 'Key' }).selectOption('Shop');

  await service.get('/v1/prices/latest/token?tokenName=solana', { key: shop });
  await log().getByRole('button', { name: 'Refresh' }).click();
  await requests('tokenName=solana').waitFor();
  await left('999,997').waitFor();

  // A click on any place of the row opens its details.
  await requests(HISTORY).click();
  const details = log().getByRole('cell').getByRole('definition');
  await details.filter({ hasText: 'query.days must be' }).waitFor();
  expect(await details.filter({ hasText: 'Shop' }).count()).toBe(1);
  expect(await here.page.content()).not.toContain(shop);
  await here.page.emulateMedia({ media: 'print' });
  expect(await requests(HISTORY).first().getByRole('button').isVisible(), 'the time is printed').toBe(true);
  await here.page.emulateMedia({ media: 'screen' });
  await expectSoundLooks(here.page, 'the usage', [320, 1280]);
  await details.getByRole('link', { name: 'invalid_request' }).click();
  await here.page.waitForURL('**/market/docs/problems#invalid_request');
});

it('shows the calls, but no labels, limits and requests, with a key that cannot manage the account', async () => {
  const { shop } = await createUser();
  await visit(shop);
  await breakdown().getByRole('rowheader').first().waitFor();
  expect(await heads()).toEqual(['Key', 'Today', '7 days', '31 days']);
  expect(await breakdown().innerText()).not.toContain('Shop');
  await log().getByText('To read the log, sign in with the owner key.').waitFor();
  expect(here.requests.filter((url) => url.endsWith('/v1/user/requests'))).toEqual([]);
});

it('refers to the message about an expired key', async () => {
  await visit(await opened.service.createUser({ validUntil: Date.now() - 86_400_000 }));
  const banner = here.page.locator('.banner');
  await banner.getByText(/^This API key expired at \w{3} \d{1,2}, \d{4}, \d{1,2}:\d\d [AP]M/).waitFor();
  await panel('Calls per day').getByText('Not loaded. See the message at the top of this page.').waitFor();
  expect(await breakdown().getByRole('button', { name: 'Download usage as CSV' }).isDisabled()).toBe(true);
});

it('states that the log is empty, incomplete or turned off, and since when successful requests are recorded', async () => {
  let isOff = false;
  await visit(await opened.service.createUser(), {
    prepare: (page) =>
      page.route('**/v1/user/requests', (route) =>
        isOff
          ? route.fulfill({ status: 404, contentType: 'application/problem+json', json: { code: 'not_found' } })
          : route.fulfill({ json: { complete: false, recordingSince: null, requests: [] } }),
      ),
  });
  await log().getByText('at least one process of the service did not respond in time').waitFor();
  await log().getByText('Successful requests are recorded from now on').waitFor();
  await log().getByText('No requests are listed yet.').waitFor();
  isOff = true;
  await log().getByRole('button', { name: 'Refresh' }).click();
  await log().getByText('The operator has turned off the request log.').waitFor();
  for (const role of ['button', 'table', 'checkbox'] as const) expect(await log().getByRole(role).count()).toBe(0);
});
