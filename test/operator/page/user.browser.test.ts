import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { useOperatorPage } from '../../support/browser/operator-page.ts';

const opened = useOperatorPage({}, { permissions: ['clipboard-read', 'clipboard-write'] });
/** The record number and the key of a new user, whose page is open. */
let user: { key: number; apiKey: string };
let count = 0;
beforeEach(async () => {
  count += 1;
  user = await opened.service.user(`ada${count}@example.org`);
  await opened.here.go(`#/users/${user.key}`);
  await opened.here.page.getByRole('heading', { name: 'Ada Lovelace', level: 1 }).waitFor();
});

const act = (name: string) => opened.here.page.getByRole('button', { name, exact: true }).click();
const shown = async () => (await opened.call(`/users/${user.key}`)).body;
const statusOf = async (key = user.apiKey) =>
  (await opened.service.get('/v1/prices/latest/token?tokenName=bitcoin', { key })).status;

it('suspends a user with a reason, and resumes the user', async () => {
  const { page, dialog } = opened.here;
  await act('Suspend…');
  await dialog.getByRole('button', { name: 'Suspend' }).click();
  await dialog.getByText('Required.').waitFor();
  await dialog.getByLabel('Reason').fill('Unusual <b>traffic</b>');
  await opened.here.confirm('Suspend');
  await page.getByText('Unusual <b>traffic</b>').waitFor();
  expect(await page.locator(':focus').evaluate(({ tagName }) => tagName), 'the title has the focus').toBe('H1');
  expect(await shown()).toMatchObject({ state: 'suspended', suspension: { reason: 'Unusual <b>traffic</b>' } });
  expect(await statusOf()).toBe(403);

  await act('Resume…');
  await dialog.getByLabel('Reason').fill('fixed');
  await opened.here.confirm('Resume');
  expect(await shown()).toMatchObject({ state: 'active', suspension: null });
  expect(await statusOf()).toBe(200);
});

it('changes nothing if the operator cancels', async () => {
  const before = await shown();
  for (const name of [
    'Suspend…',
    'Change plan…',
    'Set limit…',
    'Grant calls…',
    'Renew…',
    'Replace owner key…',
    'Export…',
    'Erase…',
  ]) {
    await act(name);
    expect(await opened.here.dialog.innerText(), name).toContain(`Ada Lovelace (user ${user.key})`);
    if (name === 'Erase…') await opened.here.page.keyboard.press('Escape');
    else await opened.here.dialog.getByRole('button', { name: 'Cancel' }).click();
    await opened.here.dialog.waitFor({ state: 'hidden' });
    expect(await opened.here.page.locator(':focus').innerText(), 'the focus returns').toBe(name);
  }
  expect(await shown()).toEqual(before);
});

it('isolates a name that reverses the text around it, and shows the record number beside it', async () => {
  const { page, dialog } = opened.here;
  const name = '\u202eecaleval ada';
  await opened.service.database.prisma.user.update({ where: { key: user.key }, data: { name } });
  await page.reload();
  /** The text after the name, and whether it is to the right of the name. */
  const afterName = (place: Locator) =>
    place.evaluate((element) => {
      element.normalize();
      const named = element.querySelector('bdi') as Element;
      const range = document.createRange();
      range.selectNode(named.nextSibling as Node);
      const [text] = /\(.+?\)/.exec(String(range)) ?? [];
      return [
        named.textContent,
        text,
        (range.getClientRects()[0]?.left ?? 0) >= named.getBoundingClientRect().right - 1,
      ];
    });
  const expected = [name, `(user ${user.key})`, true];
  const title = page.getByRole('heading', { level: 1 });
  await title.locator('bdi').waitFor();
  expect(await afterName(title)).toEqual(expected);
  await act('Renew…');
  expect(await afterName(dialog.getByRole('paragraph').filter({ hasText: 'Adds one period' }))).toEqual(expected);
  await opened.here.confirm('Renew');
  expect(await afterName(opened.here.result)).toEqual(expected);
});

it('changes the plan from the next period and now, the limit and the credits', async () => {
  const { page, dialog } = opened.here;
  await act('Change plan…');
  await dialog.getByText('nothing changes until then').waitFor();
  await opened.here.confirm('Change plan');
  await page.getByText(/gets the yearly plan from \w+ \d+, \d+/).waitFor();
  expect(await shown()).toMatchObject({ plan: 'monthly', nextPlan: { plan: 'yearly' } });

  await act('Change plan…');
  await dialog.getByText('this replaces the change to the yearly plan').waitFor();
  await dialog.getByLabel('From').selectOption('now');
  await dialog.getByLabel('Calls per period').fill('777');
  await dialog.getByText('gets the yearly plan instead of the monthly plan now').waitFor();
  await dialog.getByText('start immediately, with 777 calls').waitFor();
  await opened.here.confirm('Change plan');
  await page.getByText(`(user ${user.key}) has the yearly plan.`).waitFor();
  expect(await shown()).toMatchObject({ plan: 'yearly', nextPlan: null, limit: 777 });

  await act('Set limit…');
  expect(await dialog.getByLabel('Calls per period').inputValue()).toBe('777');
  await dialog.getByLabel('Calls per period').fill('-1');
  await dialog.getByRole('button', { name: 'Set limit' }).click();
  await dialog.getByText('Enter a whole number of at least 0.').waitFor();
  await dialog.getByLabel('Calls per period').fill('900');
  await opened.here.confirm('Set limit');
  await act('Grant calls…');
  await dialog.getByLabel('Calls').fill('50');
  await dialog.getByLabel('Reason').fill('outage');
  await opened.here.confirm('Grant');
  await page.getByText(`(user ${user.key}) can make 50 additional calls in this period.`).waitFor();
  expect(await shown()).toMatchObject({ limit: 900, credits: 50, periodLimit: 950 });
  await page.getByRole('table', { name: 'Credits' }).getByText('outage').waitFor();
});

it('replaces the owner key, and shows the new key once', async () => {
  const { page, dialog } = opened.here;
  await act('Replace owner key…');
  await dialog.getByLabel('The old owner keys stop working').selectOption('0');
  await dialog.getByRole('button', { name: 'Replace', exact: true }).click();
  await dialog.getByRole('heading', { name: 'New owner key' }).waitFor();
  const key = await dialog.locator('code').innerText();
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Copy' }).click();
  await dialog.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
  expect(await statusOf(key)).toBe(200);
  expect(await statusOf()).toBe(401);
  await opened.here.confirm('I have saved it');
  expect(await page.content()).not.toContain(key);
  expect(opened.here.requests.filter((url) => url.includes(key))).toEqual([]);
});

it('renews the plan, and shows why a second renewal is rejected', async () => {
  const before = String((await shown()).validUntil);
  await act('Renew…');
  await opened.here.confirm('Renew');
  expect(String((await shown()).validUntil) > before).toBe(true);
  await act('Renew…');
  await opened.here.dialog.getByRole('button', { name: 'Renew' }).click();
  await opened.here.dialog.getByRole('link', { name: 'About renew_too_early' }).waitFor();
  await opened.here.dialog.getByText('grant calls for the current period').waitFor();
  await opened.here.page.keyboard.press('Escape');
});

it('lists the keys and their use, and revokes a key except the last owner key', async () => {
  const { page } = opened.here;
  expect(await statusOf()).toBe(200);
  await opened.service.parts.allowance.settle();
  await fetch(`${opened.service.url}/v1/user/keys?label=Shop&scopes=prices`, {
    method: 'POST',
    headers: { 'x-api-key': user.apiKey },
  });
  await page.reload();
  await page.getByRole('region', { name: 'Keys' }).getByRole('listitem').first().waitFor();
  for (const name of ['Owner key', '/v1/prices/latest/token'])
    await page.getByRole('row').filter({ hasText: name }).getByRole('cell', { name: '1', exact: true }).waitFor();
  const revoke = page.getByRole('button', { name: /^Revoke / });
  expect(await revoke.count()).toBe(1);
  await revoke.click();
  await opened.here.confirm('Revoke');
  await page.getByRole('listitem').filter({ hasText: 'Shop' }).getByText('revoked', { exact: true }).waitFor();
  expect(await revoke.count()).toBe(0);
});

it('saves an export, and erases the user', async () => {
  const { page } = opened.here;
  await act('Export…');
  const download = page.waitForEvent('download');
  await opened.here.confirm('Export');
  const saved = await download;
  expect(saved.suggestedFilename()).toBe(`user-${user.key}.json`);
  await page.getByText(`is saved as user-${user.key}.json.`).waitFor();
  const text = await readFile(await saved.path(), 'utf8');
  expect(JSON.stringify(JSON.parse(text))).toContain('Ada Lovelace');
  expect(text).not.toContain(user.apiKey);

  await act('Erase…');
  await opened.here.confirm('Erase permanently');
  await page.getByRole('heading', { name: `User ${user.key}`, level: 1 }).waitFor();
  expect(await shown()).toMatchObject({ state: 'erased', name: null, email: null });
  expect(await page.getByRole('region', { name: 'Actions' }).getByRole('button').allInnerTexts()).toEqual(['Export…']);
  expect(await statusOf()).toBe(401);
});

it('shows what to do for a user that does not exist', async () => {
  const { page } = opened.here;
  await opened.here.go('#/users/999999');
  await page.getByRole('link', { name: 'About not_found' }).waitFor();
  await page.getByRole('heading', { name: 'User 999999', level: 1 }).waitFor();
  expect(await page.getByText('Ada Lovelace').count(), 'no data of another user').toBe(0);
});
