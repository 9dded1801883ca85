import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openTestConsole, type TestConsole, type Visit, visit } from '../../support/browser/console.ts';
import { expectSoundLooks } from '../../support/browser/looks.ts';

let opened: TestConsole;
let here: Visit;
beforeAll(async () => {
  opened = await openTestConsole({ BASE_PATH: '/market' });
});
afterAll(() => opened?.close());
afterEach(async () => {
  expect(here.complaints).toEqual([]);
  await here.close();
});

const PRICE = '/v1/prices/latest/token?tokenName=bitcoin';

/** A user with a key `Shop`. */
async function createUser({ service } = opened) {
  const owner = await service.createUser();
  const headers = { 'x-api-key': owner };
  const response = await fetch(`${service.url}/v1/user/keys?label=Shop`, { method: 'POST', headers });
  return { owner, shop: ((await response.json()) as { apiKey: string }).apiKey };
}

const panel = () => here.page.locator('#requests');
const rowsOf = (text: string) => panel().getByRole('row').filter({ hasText: text });

it('shows the requests of all keys with their costs, and links codes to their explanations', async () => {
  const { owner, shop } = await createUser();
  const { service, browser } = opened;
  await service.get(PRICE, { key: shop });
  await service.get('/v1/prices/history/days?tokenName=bitcoin&days=none', { key: shop });
  here = await visit(browser, service.url);
  await here.open(owner);
  const cells = await rowsOf(`GET ${PRICE}`).getByRole('cell').allInnerTexts();
  expect(cells).toEqual(['Shop', `GET ${PRICE}`, '200', '', '1', expect.stringMatching(/^[\d,.]+$/)]);
  const rejected = rowsOf('/v1/prices/history/days');
  expect((await rejected.getByRole('cell').allInnerTexts()).slice(2, 5)).toEqual(['400', 'invalid_request', '0']);
  await expectSoundLooks(here.page, 'the requests', [320, 1280], '#requests');

  await service.get('/v1/prices/latest/token?tokenName=solana', { key: shop });
  await panel().getByRole('button', { name: 'Update requests' }).click();
  await rowsOf('tokenName=solana').waitFor();
  expect(await panel().innerText()).not.toContain(shop);

  await rejected.getByRole('link', { name: 'invalid_request' }).click();
  await here.page.locator('#invalid_request').waitFor();
  expect(new URL(here.page.url()).pathname).toBe('/market/docs/problems');
});

it('states that the log is incomplete', async () => {
  const { owner } = await createUser();
  here = await visit(opened.browser, opened.service.url);
  await here.page.route('**/v1/user/requests', (route) => route.fulfill({ json: { complete: false, requests: [] } }));
  await here.open(owner);
  await panel().getByText('at least one process of the service did not respond in time').waitFor();
});

it('states that the operator has turned off the log', async () => {
  const off = await openTestConsole({ REQUEST_LOG: 'off' });
  try {
    const { owner } = await createUser(off);
    here = await visit(off.browser, off.service.url);
    await here.open(owner);
    await panel().getByText('The operator has turned off the request log.').waitFor();
    expect(await panel().getByRole('button').count()).toBe(0);
    expect(await panel().getByRole('table').count()).toBe(0);
  } finally {
    await off.close();
  }
});

it('is hidden from a key that cannot manage the account', async () => {
  const { shop } = await createUser();
  here = await visit(opened.browser, opened.service.url);
  await here.open(shop);
  expect(await panel().isVisible()).toBe(false);
  expect(here.requests.filter((url) => url.endsWith('/v1/user/requests'))).toEqual([]);
});
