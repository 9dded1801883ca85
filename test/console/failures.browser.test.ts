import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { DAY, HOUR, startOfDate } from '#core/clock';
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

it('shows an error instead of missing data, the other panels, and the age of its data while the upstream fails', async () => {
  const clock = createTestClock(startOfDate(Date.now()) + DAY / 2);
  const failing = await opened.serve({ clock, settings: { MARKET_SOURCES: 'coingecko' } });
  failing.sandbox.faults.always({ kind: 'status', status: 500 }, { path: 'market_chart' });
  here = await opened.visit({ service: failing, key: await failing.createUser() });
  const { page } = here;
  expect(await age()).toMatch(/^As of/);
  await page.getByRole('button', { name: 'Load chart' }).click();
  await page
    .getByRole('region', { name: 'Bitcoin history' })
    .getByRole('link', { name: 'About upstream_unavailable' })
    .waitFor();
  await page.getByText('No data.', { exact: true }).waitFor();
  expect(await firstPrice()).toMatch(/^\$/);
  expect(await banner().allInnerTexts()).toEqual(['', '', '']);

  failing.sandbox.faults.always({ kind: 'status', status: 500 });
  clock.advance(5 * HOUR);
  await page.getByRole('button', { name: 'Refresh' }).click();
  // Polled, because a call may fail while the database resumes.
  await expect.poll(age).toMatch(/^5 hours old \(source: (server error|unavailable, retrying soon)\)$/);
  expect(await firstPrice()).toMatch(/^\$[\d,.]+$/);
  // The first response may precede the failure of its sources, which the next response reports.
  await expect
    .poll(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      await here.settled();
      return pricesOn(page).market.locator('.age.stale').count();
    })
    .toBe(1);
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

it('writes unavailable time ranges in the format of its dates', async () => {
  here = await opened.visit({ key: await opened.service.createUser() });
  const { page } = here;
  await page.route('**/v1/prices/history/**', (route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/problem+json',
      json: {
        type: '/docs/problems#upstream_unavailable',
        title: 'Upstream unavailable',
        status: 503,
        code: 'upstream_unavailable',
        detail: 'There is no data before 2013-04-28.',
        gaps: ['2012-01-01/2012-12-31', '2013-01-01T00:00:00.000Z/2013-01-02T00:00:00.000Z'],
      },
    }),
  );
  await page.getByRole('button', { name: '90D' }).click();
  const problem = page.getByRole('region', { name: 'Bitcoin history' }).getByRole('alert');
  await problem.getByText('There is no data before Apr 28, 2013.').waitFor();
  await problem
    .getByText('Missing: Jan 1, 2012 to Dec 31, 2012; Jan 1, 2013, 12:00 AM to Jan 2, 2013, 12:00 AM.')
    .waitFor();
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
