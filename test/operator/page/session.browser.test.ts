import { expect, it } from 'vitest';
import { useOperatorPage } from '../../support/browser/operator-page.ts';
import { TOKEN } from '../operator-harness.ts';

const opened = useOperatorPage({}, { fragment: '#/sources', isSignedOut: true });

const heading = (name: string) => opened.here.page.getByRole('heading', { name, level: 1 });
const stored = () =>
  opened.here.page.evaluate<string[]>('Object.values(sessionStorage).concat(Object.values(localStorage))');

it('asks for the token, keeps it for the tab only, and shows the view of the URL', async () => {
  const { page } = opened.here;
  await heading('Operator').waitFor();
  expect(await page.getByRole('navigation').filter({ visible: true }).count()).toBe(0);
  await opened.here.signIn();
  await heading('Sources').waitFor();
  expect(await stored()).toEqual([TOKEN]);
  expect(await page.evaluate('Object.values(localStorage)')).toEqual([]);
  await page.reload();
  await heading('Sources').waitFor();

  const other = await opened.here.context.newPage();
  await other.goto(`${opened.url}/#/sources`);
  await other.getByLabel('Admin token').waitFor();

  expect(opened.here.requests.filter((url) => url.includes(TOKEN))).toEqual([]);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await heading('Operator').waitFor();
  expect(await stored()).toEqual([]);
  expect(await page.getByRole('table').count()).toBe(0);
});

it('shows why a token is rejected and what to do, and ends a session whose token is not valid', async () => {
  const { page } = opened.here;
  await opened.here.signIn('short');
  await page.getByText('An admin token has at least 32 characters.').waitFor();
  await opened.here.signIn('x'.repeat(40));
  const note = page.locator('main').getByRole('alert');
  await note.getByRole('link', { name: 'About admin_token_invalid' }).waitFor();
  expect(await note.getByRole('paragraph').count()).toBe(4);
  const help = await note.getByRole('link').getAttribute('href');
  expect((await fetch(new URL(String(help), `${opened.url}/`))).status).toBe(200);
  expect(await stored()).toEqual([]);

  await page.evaluate(`sessionStorage.setItem('quotient:admin-token', '${'y'.repeat(40)}')`);
  await page.reload();
  await page.getByText('The service no longer accepts the token.').waitFor();
  await heading('Operator').waitFor();
  expect(await stored()).toEqual([]);
});

it('reports that the service is unreachable, and repeats the request', async () => {
  const { page } = opened.here;
  await opened.here.signIn();
  await opened.here.settled();
  await page.route('**/admin/v1/sources', (route) => route.abort());
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('The service is unreachable').waitFor();
  expect(
    await page.getByRole('table', { name: 'Sources' }).getByRole('row').count(),
    'the last response stays',
  ).toBeGreaterThan(2);
  await page.unroute('**/admin/v1/sources');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('The service is unreachable').waitFor({ state: 'detached' });
});
