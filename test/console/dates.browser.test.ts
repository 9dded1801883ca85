import { expect, it } from 'vitest';
import { useConsole, type Visit } from '../support/browser/console.ts';

const opened = useConsole();
let here: Visit;

const DAY = 86_400_000;
const ISO = /\d{4}-\d\d-\d\d/;

/** The page's text, visible and for screen readers, except quoted API calls and responses. */
const pageText = () =>
  here.page.evaluate<string>(`(() => {
    const copy = document.body.cloneNode(true);
    for (const code of copy.querySelectorAll('pre, code, script')) code.remove();
    const titles = [...copy.querySelectorAll('[title]')].map((element) => element.title);
    const labels = [...copy.querySelectorAll('[aria-label]')].map((element) => element.ariaLabel);
    return [copy.textContent, ...titles, ...labels].join(' ');
  })()`);

it('writes every date of every page in one format', async () => {
  here = await opened.visit({ key: await opened.service.createUser() });
  await here.loadWhole();
  const { page } = here;
  await page.getByText('Show as a table').click();
  await page.getByRole('button', { name: 'Custom' }).click();
  expect(await pageText()).not.toMatch(ISO);
  for (const name of ['keys', 'usage', 'notices', 'account']) {
    await here.go(`/#/${name}`);
    expect(await pageText(), name).toMatch(/[A-Z][a-z]{2} \d{1,2}, \d{4}/);
    expect(await pageText(), name).not.toMatch(ISO);
  }
});

it('writes the dates of errors in the same format', async () => {
  here = await opened.visit({ key: await opened.service.createUser({ validUntil: Date.now() - DAY }) });
  const { page } = here;
  const banner = page.locator('.banner');
  await banner.getByText(/^This API key expired at \w{3} \d{1,2}, \d{4}, \d{1,2}:\d\d [AP]M/).waitFor();
  expect(await pageText()).not.toMatch(ISO);
});

it('writes unavailable time ranges in the same format', async () => {
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
