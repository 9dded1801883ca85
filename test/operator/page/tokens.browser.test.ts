import { expect, it } from 'vitest';
import { useOperatorPage } from '../../support/browser/operator-page.ts';

const opened = useOperatorPage({ COINGECKO_CALLS_PER_MINUTE: '1000' }, { fragment: '#/tokens' });

const tokens = () => opened.here.page.getByRole('table', { name: 'Tokens', exact: true });
const rowOf = (id: string) => tokens().getByRole('row').filter({ hasText: id });
const tokenNames = async () => {
  const response = await opened.service.get('/v1/tokens');
  return ((await response.json()) as { tokenName: string }[]).map(({ tokenName }) => tokenName);
};

async function find(text: string): Promise<void> {
  await opened.here.page.getByLabel('Coin at CoinGecko').fill(text);
  await opened.here.page.getByRole('button', { name: 'Find', exact: true }).click();
}
const add = (id: string) => opened.here.page.getByRole('button', { name: `Add: ${id}…`, exact: true });

it('finds a coin, adds it as a token, sets its successor and removes it', async () => {
  const { page, dialog } = opened.here;
  await find('nothing at all');
  await page.getByText('No coin found.').waitFor();
  await find('albado');
  await add('albado').click();
  await dialog.getByLabel('Symbol').fill('two words');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.getByText('Enter a symbol without spaces and commas.').waitFor();
  await dialog.getByLabel('Symbol').fill('');
  await opened.here.confirm('Add');
  await opened.here.result.getByText('albado is added.').waitFor();
  await rowOf('albado').getByRole('cell', { name: 'ABDUSD', exact: true }).waitFor();
  expect(await tokenNames()).toContain('albado');

  await rowOf('albado').getByRole('button', { name: 'Set successor: albado…' }).click();
  await dialog.getByLabel('ID of the successor').fill('bitcon');
  await dialog.getByRole('button', { name: 'Set successor', exact: true }).click();
  await dialog.getByText('Did you mean bitcoin?').waitFor();
  await dialog.getByLabel('ID of the successor').fill('bitcoin');
  await opened.here.confirm('Set successor');
  await rowOf('albado').getByRole('cell', { name: 'bitcoin', exact: true }).waitFor();

  await rowOf('albado').getByRole('button', { name: 'Remove: albado…' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await tokenNames()).toContain('albado');
  await rowOf('albado').getByRole('button', { name: 'Remove: albado…' }).click();
  await opened.here.confirm('Remove');
  await opened.here.result.getByText('albado is removed.').waitFor();
  await rowOf('albado').waitFor({ state: 'detached' });
  expect(await tokenNames()).not.toContain('albado');
  const { items } = (await opened.call('/audit')).body as { items: { action: string }[] };
  expect(items.map(({ action }) => action)).toEqual(['token.remove', 'token.alias', 'token.add']);
});

it('offers no changes of built-in tokens, and shows why a token cannot be added', async () => {
  const { page, dialog } = opened.here;
  expect(await rowOf('bitcoin').getByRole('button').count()).toBe(0);
  await find('bitcoin');
  await add('bitcoin').click();
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.getByRole('link', { name: 'About token_rejected' }).waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  opened.service.sandbox.faults.always({ kind: 'status', status: 500, body: {} }, { path: '/coins/bebado' });
  await find('bebado');
  await add('bebado').click();
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.getByRole('link', { name: 'About upstream_unavailable' }).waitFor();
  opened.service.sandbox.faults.clear();
  await opened.here.confirm('Add');
  await opened.here.result.getByText('bebado is added.').waitFor();

  await page.getByLabel('Served tokens').fill('beba');
  await page.getByLabel('Served tokens').press('Enter');
  await page.getByText('1 token.').waitFor();
  expect(await tokens().getByRole('rowheader').allInnerTexts()).toEqual(['bebado']);
});

it('shows the requests and the errors of the process in the overview', async () => {
  await opened.service.get('/v1/nothing');
  await opened.here.go('#/overview');
  const errors = opened.here.page.getByRole('table', { name: 'Errors by code' });
  await errors.getByRole('row').filter({ hasText: 'not_found' }).getByRole('cell', { name: '1' }).waitFor();
  await opened.here.page.getByRole('table', { name: 'Requests by route' }).getByText('/v1/tokens').waitFor();
});
