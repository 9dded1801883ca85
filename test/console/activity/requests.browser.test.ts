import { expect, it } from 'vitest';
import { useConsole, type Visit } from '../../support/browser/console.ts';
import { expectSoundLooks } from '../../support/browser/looks.ts';

const opened = useConsole({ BASE_PATH: '/market' });
let here: Visit;

const PRICE = '/v1/prices/latest/token?tokenName=bitcoin';

const panel = () => here.page.locator('#requests');
const rowsOf = (text: string) => panel().getByRole('row').filter({ hasText: text });

it('shows the requests of all keys with their costs, and links codes to their explanations', async () => {
  const { service } = opened;
  const owner = await service.createUser();
  const shop = await service.createKey(owner, { label: 'Shop' });
  // Successful requests are recorded after the log was read.
  await service.get('/v1/user/requests', { key: owner });
  await service.get(PRICE, { key: shop });
  await service.get('/v1/prices/history/days?tokenName=bitcoin&days=none', { key: shop });
  here = await opened.visit({ key: owner });
  const cells = await rowsOf(`GET ${PRICE}`).getByRole('cell').allInnerTexts();
  expect(cells).toEqual(['Shop', `GET ${PRICE}`, '200', '', '1', expect.stringMatching(/^[\d,.]+$/)]);
  const rejected = rowsOf('/v1/prices/history/days');
  expect((await rejected.getByRole('cell').allInnerTexts()).slice(2, 5)).toEqual(['400', 'invalid_request', '0']);
  expect((await rejected.getByRole('cell').allInnerTexts())[1]).toContain('query.days must be');
  expect(await rowsOf('/v1/user/data').count()).toBe(0);
  expect(await panel().getByRole('status').innerText()).toMatch(/recorded since .*\d/);
  await panel().getByLabel('Failed only').check();
  expect([await rowsOf(PRICE).count(), await rejected.count()]).toEqual([0, 1]);
  await panel().getByLabel('Failed only').uncheck();
  expect(await rowsOf(PRICE).count()).toBe(1);
  await expectSoundLooks(here.page, 'the requests', [320, 1280], '#requests');

  await service.get('/v1/prices/latest/token?tokenName=solana', { key: shop });
  await panel().getByRole('button', { name: 'Update requests' }).click();
  await rowsOf('tokenName=solana').waitFor();
  expect(await panel().innerText()).not.toContain(shop);

  await rejected.getByRole('link', { name: 'invalid_request' }).click();
  await here.page.locator('#invalid_request').waitFor();
  expect(new URL(here.page.url()).pathname).toBe('/market/docs/problems');
});

it('states that the log is incomplete, and since when successful requests are recorded', async () => {
  here = await opened.visit({
    key: await opened.service.createUser(),
    prepare: (page) =>
      page.route('**/v1/user/requests', (route) =>
        route.fulfill({ json: { complete: false, recordingSince: null, requests: [] } }),
      ),
  });
  await panel().getByText('at least one process of the service did not respond in time').waitFor();
  await panel().getByText('Successful requests are recorded from now on').waitFor();
});

it('states that the operator has turned off the log', async () => {
  const off = await opened.serve({ settings: { REQUEST_LOG: 'off' } });
  here = await opened.visit({ service: off, key: await off.createUser() });
  await panel().getByText('The operator has turned off the request log.').waitFor();
  expect(await panel().getByRole('button').count()).toBe(0);
  expect(await panel().getByRole('table').count()).toBe(0);
  expect(await panel().getByRole('checkbox').count()).toBe(0);
});
