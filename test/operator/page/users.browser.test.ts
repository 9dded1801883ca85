import { beforeAll, expect, it } from 'vitest';
import { mintOwnerKey } from '#keys/api-key';
import { firstTerm } from '#users/plan';
import { createUserStore } from '#users/user-store';
import { useOperatorPage } from '../../support/browser/operator-page.ts';

const HOSTILE = '<img src=x onerror="globalThis.hasRun=1">';
const USERS = 55;

const opened = useOperatorPage();
const keys: string[] = [];
beforeAll(async () => {
  const store = createUserStore(opened.service.database.prisma);
  for (let i = 1; i <= USERS; i += 1) {
    const ownerKey = mintOwnerKey();
    const name = i === 1 ? HOSTILE : `Ada${i} Lovelace${i}`;
    const now = Date.now();
    const term = { ...firstTerm(i % 2 ? 'monthly' : 'yearly', now), limit: 10_000 };
    await store.create({ name, email: `ada${i}@example.org`, createdAt: now, ...term }, ownerKey);
    keys.push(ownerKey.apiKey);
  }
  await opened.call('/users/3/suspend', { method: 'POST', body: { reason: 'too fast' } });
  await opened.here.go('#/users');
});

const names = () =>
  opened.here.page.getByRole('table', { name: 'Users' }).getByRole('rowheader').getByRole('link').allInnerTexts();

async function search(query: string): Promise<string[]> {
  await opened.here.page.getByRole('searchbox').fill(query);
  const response = opened.here.page.waitForResponse((one) => one.url().includes('/admin/v1/users'));
  await opened.here.page.getByRole('searchbox').press('Enter');
  await response;
  await opened.here.settled();
  return names();
}

it('finds a user by email, name, record number and the start of a key', async () => {
  expect(await search('ada17@')).toEqual(['Ada17 Lovelace17']);
  expect(await search('lovelace23')).toEqual(['Ada23 Lovelace23']);
  expect(await search('42')).toEqual(['Ada42 Lovelace42']);
  expect(await search(String(keys[7]).slice(0, 7))).toContain('Ada8 Lovelace8');
  expect(await search('unknown')).toEqual([]);
  await opened.here.page.getByText('No users found.').waitFor();
  await opened.here.page.reload();
  await opened.here.settled();
  expect(await opened.here.page.getByRole('searchbox').inputValue(), 'the URL keeps the search').toBe('unknown');
});

it('sorts by usage and by the last hour, and filters by state and plan', async () => {
  await search('');
  const { page } = opened.here;
  // The summary by which users are sorted is updated about once a minute.
  await opened.service.database.prisma.refresh.updateMany({
    where: { resource: 'activity' },
    data: { fetchedAt: new Date(0) },
  });
  await opened.service.parts.operator.admin?.activity.run();
  await opened.service.database.prisma.userActivity.update({ where: { userKey: 12 }, data: { used: 9 } });
  await opened.service.database.prisma.userActivity.update({ where: { userKey: 14 }, data: { lastHour: 7 } });
  for (const [sort, first] of [
    ['usage', 'Ada12 Lovelace12'],
    ['lastHour', 'Ada14 Lovelace14'],
  ] as const) {
    const response = page.waitForResponse((one) => one.url().includes(`sort=${sort}`));
    await page.getByLabel('Sort by').selectOption(sort);
    await response;
    await opened.here.settled();
    expect((await names())[0], sort).toBe(first);
    await page.getByText('updated about once a minute').waitFor();
  }
  await opened.here.rowOf('Ada14 Lovelace14').getByRole('cell', { name: '7', exact: true }).waitFor();
  await page.getByLabel('Sort by').selectOption('created');
  await page.getByText('updated about once a minute').waitFor({ state: 'hidden' });
  await page.getByRole('combobox', { name: 'State' }).selectOption('suspended');
  await page.getByText('1 user.').waitFor();
  expect(await names()).toEqual(['Ada3 Lovelace3']);
  await page.getByRole('combobox', { name: 'Plan' }).selectOption('yearly');
  await page.getByText('No users found.').waitFor();
  await page.goBack();
  await page.getByText('1 user.').waitFor();
  expect(await page.getByRole('combobox', { name: 'Plan' }).inputValue()).toBe('');
});

it('pages by cursor, and keeps the page on reload and on return from a user', async () => {
  const { page } = opened.here;
  await opened.here.go('#/users');
  await page.getByText('50 users on this page.').waitFor();
  await page.getByRole('link', { name: 'Next page' }).click();
  await page.getByText('5 users on this page.').waitFor();
  expect(await page.locator(':focus').innerText()).toBe('Users');
  expect((await names()).at(-1)).toBe(HOSTILE);
  await page.reload();
  await page.getByText('5 users on this page.').waitFor();
  await page.getByRole('link', { name: HOSTILE }).click();
  await page.getByRole('heading', { name: HOSTILE }).waitFor();
  expect(await page.evaluate('globalThis.hasRun')).toBeUndefined();
  await page.getByRole('link', { name: '← Users' }).click();
  await page.getByText('5 users on this page.').waitFor();
  await page.getByRole('link', { name: 'First page' }).click();
  await page.getByText('50 users on this page.').waitFor();
});
