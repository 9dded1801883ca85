import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { useOperatorPage } from '../../support/browser/operator-page.ts';

const opened = useOperatorPage({
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'quotient@example.org',
  PUBLIC_URL: 'http://127.0.0.1:9',
});
beforeAll(() => opened.service.user());

const open = async (name: string) => {
  await opened.here.page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name, exact: true }).click();
  await opened.here.settled();
};

it('shows the sources with their budgets and forecasts', async () => {
  const { page } = opened.here;
  const key = await opened.service.createUser();
  await opened.service.get('/v1/prices/latest/token?tokenName=bitcoin', { key });
  await open('Sources');
  const { body } = await opened.call('/sources');
  type Budget = { limit: number | null; remaining: number | null; exhaustedAt: string | null };
  const reports = body as unknown as { name: string; budget: Budget | null }[];
  const table = page.getByRole('table', { name: 'Sources' });
  expect(await table.getByRole('rowheader').allInnerTexts()).toEqual(reports.map(({ name }) => name));
  const coingecko = opened.here.rowOf('coingecko');
  await expect
    .poll(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      await opened.here.settled();
      return coingecko.innerText();
    })
    .toMatch(/working.*\d calls/s);
  const limited = reports.filter(({ budget }) => budget && budget.limit !== null);
  expect(await table.getByRole('meter').count()).toBe(limited.length);

  const [year, month] = [new Date().getUTCFullYear(), new Date().getUTCMonth()];
  const reset = new Date(Date.UTC(year, month + 1, 1));
  const resets = reset.toLocaleDateString('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
  for (const [budget, words] of [
    [{ limit: null, remaining: null, exhaustedAt: null }, 'never'],
    [{ limit: 9, remaining: 4, exhaustedAt: null }, 'not this month'],
    [{ limit: 9, remaining: 4, exhaustedAt: '2031-01-31T10:00:00.000Z' }, 'Jan 31, 2031, 10:00 AM'],
    [{ limit: 9, remaining: 0, exhaustedAt: '2031-01-31T10:00:00.000Z' }, `spent until ${resets}`],
  ] as const) {
    const changed = reports.map((report) => ({ ...report, budget: report.budget && { ...report.budget, ...budget } }));
    await page.route('**/admin/v1/sources', (route) => route.fulfill({ json: changed }), { times: 1 });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await opened.here.settled();
    await coingecko.getByRole('cell', { name: words, exact: true }).waitFor();
  }
});

it('retries messages and reports the result, and states why another cannot be retried', async () => {
  const { page } = opened.here;
  const givenUp = { payload: {}, dueAt: null, attempts: 8, lastError: 'status <503>', givenUpAt: new Date() };
  const ids = ['0f8fad5b-d9cb-469f-a165-70867728950e', '0f8fad5b-d9cb-469f-a165-70867728950f'] as const;
  /** A message whose notice no longer exists counts as delivered. */
  const payload = { notice: crypto.randomUUID() };
  await opened.service.database.prisma.outboxMessage.createMany({
    data: [
      { id: ids[0], kind: 'notice-webhook', userKey: 1, ...givenUp },
      { id: ids[1], kind: 'recover', userKey: 1, ...givenUp },
      { id: crypto.randomUUID(), kind: 'notice-mail', userKey: 1, ...givenUp, payload },
    ],
  });
  await open('Messages');
  await page.getByText('3 messages.').waitFor();
  expect(await opened.here.rowOf('Notice by webhook').innerText()).toContain('status <503>');
  expect(await opened.here.rowOf('Recovery email').innerText()).toContain('Not possible');
  await opened.here
    .rowOf('Notice by webhook')
    .getByRole('button', { name: /^Retry/ })
    .click();
  await opened.here.confirm('Retry');
  await page.getByText('Notice by webhook: the attempt failed. The list shows the error.').waitFor();
  expect(await opened.here.rowOf('Notice by webhook').innerText(), 'the error of the retry').not.toContain(
    'status <503>',
  );
  const retry = opened.here.rowOf('Notice by email').getByRole('button', { name: /^Retry/ });
  await retry.click();
  await opened.here.confirm('Retry');
  await page.getByText('Notice by email: delivered.').waitFor();
  await page.getByText('2 messages.').waitFor();
  const audit = (await opened.call('/audit?action=message.retry')).body as { items: { target: string }[] };
  expect(audit.items.map(({ target }) => target)).toContain(`message:${ids[0]}`);
  await open('Audit log');
  const event = opened.here.rowOf(`message:${ids[0]} of`);
  expect(await event.innerText()).toMatch(/:\d\d:\d\d [AP]M.*state: given_up → due\nkind: notice-webhook/s);
  await event.getByRole('link', { name: 'user:1' }).click();
  await page.getByRole('heading', { name: 'Ada Lovelace', level: 1 }).waitFor();
});

it('publishes and removes the announcement', async () => {
  const { page } = opened.here;
  await open('Announcement');
  await page.getByText('There is no announcement.').waitFor();
  const offered = Date.parse(`${await page.getByLabel('Ends at').inputValue()}Z`);
  expect(Math.abs(offered - Date.now() - 86_400_000), 'the same minute of tomorrow').toBeLessThan(120_000);
  await page.getByRole('button', { name: 'Publish…' }).click();
  await page.getByText('Enter a text.').waitFor();
  await page.getByLabel('Text').fill('Maintenance & <i>more</i>');
  await page.getByLabel('Ends at').fill('2001-01-01T10:00');
  await page.getByRole('button', { name: 'Publish…' }).click();
  await opened.here.dialog.getByRole('button', { name: 'Publish' }).click();
  await opened.here.dialog.getByRole('link', { name: 'About invalid_request' }).waitFor();
  await opened.here.dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByLabel('Ends at').fill('2031-01-31T10:00');
  await page.getByRole('button', { name: 'Publish…' }).click();
  await opened.here.dialog.getByText('until Jan 31, 2031, 10:00 AM').waitFor();
  await opened.here.confirm('Publish');
  const published = { text: 'Maintenance & <i>more</i>', until: '2031-01-31T10:00:00.000Z' };
  expect((await opened.call('/announcement')).body).toEqual(published);
  await page.getByRole('region', { name: 'Current announcement' }).getByText(published.text).waitFor();
  await open('Users');
  await page.getByRole('complementary', { name: 'Announcement' }).getByText(published.text).waitFor();
  await open('Announcement');
  await page.getByRole('button', { name: 'Remove…' }).click();
  await opened.here.confirm('Remove');
  expect((await opened.call('/announcement')).body).toEqual({ text: null, until: null });
});

it('filters the audit log, keeps the filter in the URL, and saves it', async () => {
  const { page } = opened.here;
  await opened.call('/users/1/limit', { method: 'POST', body: { limit: 1 } });
  await opened.call('/users/1/limit', { method: 'POST', body: { limit: 20_000 } });
  await opened.call('/users/1/suspend', { method: 'POST', body: { reason: '"><script>globalThis.hasRun=1</script>' } });
  await open('Audit log');
  await page.getByRole('combobox', { name: 'Action' }).selectOption('user.limit');
  await page.getByText('2 events.').waitFor();
  await page.getByText('limit: 1 → 20000').waitFor();
  await page.reload();
  await page.getByText('2 events.').waitFor();
  await page.getByRole('combobox', { name: 'Action' }).selectOption('user.suspend');
  await page.getByText('1 event.').waitFor();
  await page.getByText('"><script>').waitFor();
  expect(await page.evaluate('globalThis.hasRun')).toBeUndefined();

  await page.getByRole('button', { name: 'Download…' }).click();
  await opened.here.dialog.getByText('all events that match the filter').waitFor();
  const download = page.waitForEvent('download');
  await opened.here.confirm('Download');
  const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).action)).toEqual(['user.suspend']);

  await page.getByRole('textbox', { name: 'User' }).fill('x');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByText('Enter a record number.').waitFor();
  await page.getByRole('textbox', { name: 'User' }).fill('2');
  await page.getByRole('combobox', { name: 'Action' }).selectOption('');
  await page.getByText('No events found.').waitFor();
  const today = new Date().toISOString().slice(0, 10);
  await page.goto(`${opened.url}/#/audit?user=1&from=${today}&to=${today}`);
  await opened.here.rowOf('user.suspend').waitFor();
  expect(await page.getByLabel('To (UTC)').inputValue()).toBe(today);
  await opened.here.rowOf('user.suspend').getByRole('link', { name: 'user:1' }).click();
  await page.getByRole('heading', { name: 'Ada Lovelace', level: 1 }).waitFor();
});
