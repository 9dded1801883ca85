import { afterAll, expect, it } from 'vitest';
import { useConsole, type Visit } from '../../support/browser/console.ts';
import { type MailServer, mailSettings, startMailServer, tokensIn } from '../../support/mail/mail-server.ts';

let mailServer: MailServer;
afterAll(() => mailServer?.close());
const opened = useConsole(async () => {
  mailServer = await startMailServer();
  return { REGISTRATION: 'verified', ...mailSettings(mailServer) };
});
let here: Visit;

/** Waits for `count` emails, and returns the one-time code of the last one. */
async function codeOf(count: number): Promise<string> {
  const mail = (await mailServer.arrivals(count)).at(-1);
  const [code] = mail ? tokensIn(mail) : [];
  if (code === undefined) throw new Error('the email has no one-time code');
  return code;
}

/** Opens an emailed link. If the page is already open, the browser changes only the fragment. */
const follow = (fragment: string) => here.page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
const region = (name: string) => here.page.getByRole('region', { name });
const press = (name: string) => here.page.getByRole('button', { name, exact: true }).click();

async function saveKey(): Promise<string> {
  const key = await region('Your API key').locator('code').first().innerText();
  await press('I have saved it, continue');
  await here.settled();
  return key;
}

it('registers with an emailed link, and recovers a lost key with another one', async () => {
  here = await opened.visit();
  const { page } = here;
  const address = 'ada@example.org';
  await page.getByText('after you confirm your email address').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
  await page.getByLabel('Email', { exact: true }).fill(address);
  await press('Get a key');
  const sent = region('Get a key').getByRole('status');
  await sent.getByText(`An email with a link is on its way to ${address}.`).waitFor();
  await sent.getByText('valid for one month from the confirmation').waitFor();

  const code = await codeOf(1);
  await page.goto(`${opened.service.url}/?from=mail#verify=${code}`);
  await page.getByRole('heading', { name: 'Confirm your address' }).waitFor();
  expect(page.url(), 'the one-time code does not stay in the URL').toBe(`${opened.service.url}/?from=mail`);
  // Opening the link has not used the one-time code.
  await press('Confirm and get the key');
  const lost = await saveKey();
  expect((await opened.service.get('/v1/user/usage', { key: lost })).status).toBe(200);

  await here.go('/#/account');
  await page.getByRole('button', { name: 'Sign out' }).first().click();
  await page.getByText('Lost your key?', { exact: true }).click();
  const recovery = region('Recover your account');
  for (const email of ['unknown@example.org', address]) {
    await recovery.getByLabel('Email address you registered with').fill(email);
    await press('Send the link');
    await recovery.getByText(`If ${email} has an account here`).waitFor();
  }
  const recoveryCode = await codeOf(2);
  await follow(`#recover=${recoveryCode}`);
  await page.getByRole('heading', { name: 'Get a new owner key' }).waitFor();
  await press('Get a new key');
  const found = await saveKey();
  expect(found).not.toBe(lost);
  expect((await opened.service.get('/v1/user/usage', { key: lost })).status).toBe(401);
  expect((await opened.service.get('/v1/user/usage', { key: found })).status).toBe(200);

  // The same link again, in the page that is now signed in.
  await follow(`#recover=${recoveryCode}`);
  await press('Get a new key');
  await page.getByRole('link', { name: 'About token_invalid' }).waitFor();
  expect(await page.getByRole('button', { name: 'Get a new key' }).count(), 'the code cannot be used again').toBe(0);
  await press('Not now');
  await page.getByRole('heading', { name: 'Prices', level: 1 }).waitFor();
  expect(here.requests.filter((url) => url.includes(code) || url.includes(recoveryCode))).toEqual([]);
});

it('does not replace the stored key of another user with the new key', async () => {
  here = await opened.visit();
  const { page } = here;
  const mine = await opened.service.createUser();
  await page.getByLabel('API key', { exact: true }).fill(mine);
  await region('Sign in').getByLabel('Stay signed in').check();
  await press('Sign in');
  await here.settled();
  const kept = () => page.evaluate<string>('JSON.stringify({ ...localStorage })');
  expect(await kept()).toContain(mine);

  const before = mailServer.mails.length;
  const query = new URLSearchParams({ name: 'Bob', email: 'bob@example.org', plan: 'monthly' });
  await fetch(`${opened.service.url}/v1/user/create?${query}`, { method: 'POST' });
  await follow(`#verify=${await codeOf(before + 1)}`);
  await press('Confirm and get the key');
  expect(await region('Your API key').getByLabel('Stay signed in').isChecked()).toBe(false);
  expect(await kept(), "another user's key is unchanged").toContain(mine);
});
