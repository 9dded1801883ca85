import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { createNoonClock, createTestClock } from '../../fixtures/clock.ts';
import { useConsole, type Visit } from '../support/browser/console.ts';
import { pricesOn } from './prices/prices-page.ts';

const opened = useConsole();
let here: Visit;

const age = () => pricesOn(here.page).age.innerText();
const firstPrice = async () => (await pricesOn(here.page).prices())[0];
const banner = () => here.page.locator('.banner');
/** The remaining calls, as the frame of each page shows them. */
const left = () => here.page.getByRole('link', { name: / left$/ }).innerText();

it('shows the age of its data while the upstream fails', async () => {
  const clock = createTestClock(Date.now());
  const aging = await opened.serve({ clock });
  here = await opened.visit({ service: aging, key: await aging.createUser() });
  expect(await age()).toMatch(/^As of/);
  aging.sandbox.faults.always({ kind: 'status', status: 500 });
  clock.advance(5 * HOUR);
  await here.page.getByRole('button', { name: 'Refresh' }).click();
  // Polled, because a call may fail while the database resumes.
  await expect.poll(age).toMatch(/^5 hours old \(source: (server error|unavailable, retrying soon)\)$/);
  expect(await firstPrice()).toMatch(/^\$[\d,.]+$/);
  // The first response may precede the failure of its sources, which the next response reports.
  await expect
    .poll(async () => {
      await here.page.getByRole('button', { name: 'Refresh' }).click();
      await here.settled();
      return pricesOn(here.page).market.locator('.age.stale').count();
    })
    .toBe(1);
});

it('shows an error instead of missing data, and still shows the other panels', async () => {
  const bare = await opened.serve({ clock: createNoonClock(), settings: { MARKET_SOURCES: 'coingecko' } });
  bare.sandbox.faults.always({ kind: 'status', status: 500 }, { path: 'market_chart' });
  here = await opened.visit({ service: bare, key: await bare.createUser() });
  await here.page.getByRole('button', { name: 'Load chart' }).click();
  await here.page
    .getByRole('region', { name: 'Bitcoin history' })
    .getByRole('link', { name: 'About upstream_unavailable' })
    .waitFor();
  await here.page.getByText('No data.', { exact: true }).waitFor();
  expect(await firstPrice()).toMatch(/^\$/);
  expect(await banner().allInnerTexts()).toEqual(['', '', '']);
});

it('counts a call that has failed only while it is answered', async () => {
  const settings = { MARKET_SOURCES: 'coingecko', UPSTREAM_TIMEOUT_MS: '4000' };
  const slow = await opened.serve({ clock: createNoonClock(), settings });
  here = await opened.visit({ service: slow, key: await slow.createUser() });
  await expect.poll(left).toContain('9,999 left');
  slow.sandbox.faults.always({ kind: 'delay', ms: 10_000 });
  await here.page.getByRole('button', { name: 'Load statistics' }).click();
  await here.page.getByRole('button', { name: 'Load chart' }).click();
  await expect.poll(left).toContain('9,997 left');
  await pricesOn(here.page).statistics.getByRole('link', { name: 'About upstream_timeout' }).waitFor();
  await expect.poll(left).toContain('9,998 left');
});

/** Runs in the page: sets its clock wrong by some ms. */
const mistakeClock = (wrongBy: number) => `{
  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...given) {
      super(...(given.length > 0 ? given : [Real.now() + ${wrongBy}]));
    }
    static now() {
      return Real.now() + ${wrongBy};
    }
  };
}`;

it.each([-3 * 365 * DAY, 3 * 365 * DAY])(
  'shows the service’s times if the browser’s clock is wrong by %i ms',
  async (wrongBy) => {
    const prepare = (page: Page) => page.addInitScript(mistakeClock(wrongBy));
    here = await opened.visit({ key: await opened.service.createUser(), prepare });
    expect(await age()).toMatch(/^As of|^(\d+) minutes old/);
    await here.page.getByRole('button', { name: 'Load chart' }).click();
    await here.page.getByRole('button', { name: 'Load chart' }).waitFor({ state: 'hidden' });
    await here.settled();
    expect(await banner().allInnerTexts()).toEqual(['', '', '']);
    const alerts = here.page.getByRole('region', { name: 'Bitcoin history' }).getByRole('alert');
    expect(await alerts.innerText()).toBe('');
    await here.page.getByRole('link', { name: / left$/ }).click();
    await here.page.getByText(/^Expires .* \(in \d+ days\)/).waitFor();
  },
);

it('states when an exhausted allowance resets', async () => {
  here = await opened.visit({ key: await opened.service.createUser({ limit: 1 }) });
  await here.page.getByRole('button', { name: 'Load statistics' }).click();
  await banner().getByText('Your allowance resets in').waitFor();
  expect(await banner().getByRole('link').getAttribute('href')).toBe('docs/problems#quota_exceeded');
  await here.page.getByRole('link', { name: / 0 left$/ }).click();
  await here.page.getByText('calls left, calls are rejected until the reset').waitFor();
  await here.page.getByText('1 of 1 used.').waitFor();
});

it('offers another key when the key is revoked during use', async () => {
  const key = await opened.service.createUser();
  here = await opened.visit({ key });
  await fetch(`${opened.service.url}/v1/user`, { method: 'DELETE', headers: { 'x-api-key': key } });
  await here.page.getByRole('button', { name: 'Solana' }).click();
  await banner()
    .getByRole('link', { name: /^About api_key_\w+$/ })
    .waitFor();
  await banner().getByRole('button', { name: 'Use another key' }).click();
  await here.page.getByLabel('API key', { exact: true }).waitFor();
});
