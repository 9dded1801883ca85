import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { onDateAt } from '#pages/format';
import { createNoonClock, createTestClock } from '../../fixtures/clock.ts';
import { openTestConsole, type TestConsole, type Visit, visit } from '../support/browser/console.ts';
import { type Service, startService } from '../support/service/service.ts';

let opened: TestConsole;
let browser: Browser;
let service: Service;
let here: Visit;
beforeAll(async () => {
  opened = await openTestConsole();
  ({ browser, service } = opened);
});
afterAll(() => opened?.close());
beforeEach(async () => {
  here = await visit(browser, service.url);
});
afterEach(async () => {
  expect(here.complaints).toEqual([]);
  await here.close();
});

const text = (id: string) => here.page.locator(`#${id}`).innerText();
const banner = () => here.page.locator('#banner');

/** Stops a service without waiting for the unused connections that the browser opened in advance. */
async function stop(stopping: Service): Promise<void> {
  const closed = stopping.close();
  stopping.app.server.closeAllConnections();
  await closed;
}

async function menu(item: string): Promise<void> {
  await here.page.locator('#account-button').click();
  await here.page.locator('#account-menu').getByRole('button', { name: item }).click();
  await here.page.getByRole('dialog').waitFor();
}

it('shows the age of its data while the upstream fails', async () => {
  const clock = createTestClock(Date.now());
  const aging = await startService({ clock, consoleFolder: inject('consoleFolder') });
  try {
    await here.page.goto(`${aging.url}/`);
    await here.open(await aging.createUser());
    expect(await text('prices-age')).toMatch(/^As of/);
    aging.sandbox.faults.always({ kind: 'status', status: 500 });
    clock.advance(5 * HOUR);
    await here.page.getByRole('button', { name: 'Refresh' }).click();
    // Polled, because a call may fail while the database resumes.
    await expect
      .poll(() => text('prices-age'))
      .toMatch(/^5 hours old \(source: (server error|unavailable, retrying soon)\)$/);
    expect(await here.page.locator('#prices-body tr').first().locator('td').first().innerText()).toMatch(/^\$[\d,.]+$/);
    // The first response may precede the failure of its sources, which the next response reports.
    await expect
      .poll(async () => {
        await here.page.getByRole('button', { name: 'Refresh' }).click();
        await here.settled();
        return here.page.locator('#market-data-age.stale').count();
      })
      .toBe(1);
  } finally {
    await stop(aging);
  }
});

it('shows an error instead of missing data, and still shows the other panels', async () => {
  const bare = await startService({
    clock: createNoonClock(),
    consoleFolder: inject('consoleFolder'),
    settings: { MARKET_SOURCES: 'coingecko' },
  });
  bare.sandbox.faults.always({ kind: 'status', status: 500 }, { path: 'market_chart' });
  try {
    await here.page.goto(`${bare.url}/`);
    await here.open(await bare.createUser());
    expect(await text('chart-offer'), 'without a sample').toContain('The chart costs one call.');
    await here.page.locator('#chart-load').click();
    await here.page.locator('#chart-problem').getByRole('link', { name: 'About upstream_unavailable' }).waitFor();
    expect(await text('chart-state')).toBe('No data.');
    expect(await here.page.locator('#prices-body tr').first().locator('td').first().innerText()).toMatch(/^\$/);
    expect(await banner().innerText()).toBe('');
  } finally {
    await stop(bare);
  }
});

it('renews a key that has expired', async () => {
  const key = await service.createUser({ validUntil: Date.now() - DAY });
  await here.open(key);
  await banner().getByText('This API key expired at').waitFor();
  await banner().getByRole('button', { name: 'Renew key' }).click();
  await here.page.getByRole('dialog').getByRole('button', { name: 'Renew', exact: true }).click();
  await expect.poll(() => here.page.locator('#prices-body .price').first().innerText()).toMatch(/^\$/);
  await expect.poll(() => banner().innerText()).toBe('');
  expect((await service.get('/v1/prices/latest/token?tokenName=bitcoin', { key })).status).toBe(200);
});

it('states when an exhausted allowance resets', async () => {
  await here.open(await service.createUser({ limit: 1 }));
  await here.page.locator('#statistics-load').click();
  await banner().getByText('Your allowance resets in').waitFor();
  expect(await banner().getByRole('link').getAttribute('href')).toBe('docs/problems#quota_exceeded');
  await expect.poll(() => text('session-calls')).toBe('1 call since you opened this page');
  await expect.poll(() => text('left')).toBe('0');
  expect(await text('left-of')).toBe('of 1 calls left, calls are rejected until the reset');
});

it('renews a key, and states when it can be renewed again', async () => {
  const { page } = here;
  const key = await service.createUser();
  await here.open(key);
  await menu('Renew key');
  await page.getByRole('dialog').getByText('adds one more period').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Renew', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await here.settled();

  await page.locator('#account-button').click();
  const renew = page.locator('#account-menu').getByRole('button', { name: 'Renew key' });
  expect(await renew.getAttribute('aria-disabled')).toBe('true');
  const { resetsAt } = (await (await service.get('/v1/user/usage', { key })).json()) as { resetsAt: string };
  expect(await text('menu-renew-from')).toBe(`Can be renewed from ${onDateAt(new Date(resetsAt))}`);
  await renew.click({ force: true });
  expect(await page.getByRole('dialog').isVisible()).toBe(false);
});

it('shows an error if another client has renewed the key in the meantime', async () => {
  const key = await service.createUser();
  await here.open(key);
  await menu('Renew key');
  await fetch(`${service.url}/v1/user/renew`, { method: 'POST', headers: { 'x-api-key': key } });
  await here.page.getByRole('dialog').getByRole('button', { name: 'Renew', exact: true }).click();
  await here.page.getByRole('dialog').getByRole('link', { name: 'About renew_too_early' }).waitFor();
  await here.page.keyboard.press('Escape');
  await here.page.getByRole('dialog').waitFor({ state: 'hidden' });
});

it('replaces the key, and shows the new one once', async () => {
  const old = await service.createUser();
  await here.open(old);
  await menu('Replace key');
  await here.page.getByLabel('The old key stops working').selectOption('0');
  await here.page.getByRole('dialog').getByRole('button', { name: 'Replace', exact: true }).click();
  await here.page.getByRole('heading', { name: 'Your API key' }).waitFor();
  const key = await text('created-key');
  expect(key).not.toBe(old);
  await here.page.getByRole('button', { name: 'I have saved it' }).click();
  await here.settled();
  expect((await service.get('/v1/user/usage', { key: old })).status).toBe(401);
  expect((await service.get('/v1/user/usage', { key })).status).toBe(200);
  expect(here.requests.filter((url) => url.includes(key) || url.includes(old))).toEqual([]);
});

it('deletes the account only after confirmation', async () => {
  const key = await service.createUser();
  await here.open(key);
  await menu('Delete account');
  await here.page.getByRole('button', { name: 'Cancel' }).click();
  expect((await service.get('/v1/user/usage', { key })).status).toBe(200);
  await menu('Delete account');
  await here.page.getByRole('button', { name: 'Delete permanently' }).click();
  await here.page.getByText('have been deleted').waitFor();
  await here.page.getByRole('heading', { name: 'Get a key' }).waitFor();
  expect((await service.get('/v1/user/usage', { key })).status).toBe(401);
});

it('offers another key when the key is revoked during use', async () => {
  const key = await service.createUser();
  await here.open(key);
  await fetch(`${service.url}/v1/user`, { method: 'DELETE', headers: { 'x-api-key': key } });
  await here.page.getByRole('button', { name: 'Solana' }).click();
  await banner()
    .getByRole('link', { name: /^About api_key_\w+$/ })
    .waitFor();
  await banner().getByRole('button', { name: 'Use another key' }).click();
  await here.page.getByLabel('API key', { exact: true }).waitFor();
});
