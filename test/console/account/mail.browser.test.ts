import { afterAll, expect, it } from 'vitest';
import { useConsole, type Visit } from '../../support/browser/console.ts';
import { expectSoundLooks } from '../../support/browser/looks.ts';
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

async function saveKey(): Promise<string> {
  await here.page.getByRole('heading', { name: 'Your API key' }).waitFor();
  const key = await here.page.locator('#created-key').innerText();
  await here.page.getByRole('button', { name: 'I have saved it' }).click();
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
  await page.getByRole('button', { name: 'Get a key' }).click();
  await page.locator('#sign-up').getByText(`An email with a link is on its way to ${address}.`).waitFor();
  await page.locator('#sign-up .sent').getByText('valid for one month from the confirmation').waitFor();

  const code = await codeOf(1);
  await page.goto(`${opened.service.url}/?from=mail#verify=${code}`);
  await page.getByRole('heading', { name: 'Confirm your address' }).waitFor();
  expect(page.url(), 'the one-time code does not stay in the URL').toBe(`${opened.service.url}/?from=mail`);
  // Opening the link has not used the one-time code.
  await page.getByRole('button', { name: 'Confirm and get the key' }).click();
  const lost = await saveKey();
  expect((await opened.service.get('/v1/user/usage', { key: lost })).status).toBe(200);

  await page.locator('#account-button').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('Lost your key?').click();
  await page.getByLabel('Email address you registered with').fill(address);
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.locator('#recovery').getByText(`If ${address} has an account here`).waitFor();
  const recovery = await codeOf(2);
  await follow(`#recover=${recovery}`);
  await page.getByRole('heading', { name: 'Get a new owner key' }).waitFor();
  await page.getByRole('button', { name: 'Get a new key' }).click();
  const found = await saveKey();
  expect(found).not.toBe(lost);
  expect((await opened.service.get('/v1/user/usage', { key: lost })).status).toBe(401);
  expect((await opened.service.get('/v1/user/usage', { key: found })).status).toBe(200);
  await page.locator('#key-list li').filter({ hasText: 'Owner key' }).getByText('signed in').waitFor();

  // The same link again, in the page that is now signed in.
  await follow(`#recover=${recovery}`);
  await page.getByRole('button', { name: 'Get a new key' }).click();
  await page.getByRole('link', { name: 'About token_invalid' }).waitFor();
  expect(await page.getByRole('button', { name: 'Get a new key' }).isVisible(), 'the code cannot be used again').toBe(
    false,
  );
  await page.getByRole('button', { name: 'Not now' }).click();
  await page.locator('#dashboard').waitFor();
  expect(here.requests.filter((url) => url.includes(code) || url.includes(recovery))).toEqual([]);
});

it('responds in the same way for an unregistered address', async () => {
  here = await opened.visit();
  const { page } = here;
  await page.getByText('Lost your key?').click();
  await page.getByLabel('Email address you registered with').fill('unknown@example.org');
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.locator('#recovery').getByText('If unknown@example.org has an account here').waitFor();
});

it('does not replace the stored key of another user with the new key', async () => {
  here = await opened.visit();
  const { page } = here;
  const mine = await opened.service.createUser();
  await page.getByLabel('API key', { exact: true }).fill(mine);
  await page.locator('#sign-in').getByLabel('Stay signed in').check();
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await here.settled();
  const kept = () => page.evaluate<string>('JSON.stringify({ ...localStorage })');
  expect(await kept()).toContain(mine);

  const before = mailServer.mails.length;
  const query = new URLSearchParams({ name: 'Bob', email: 'bob@example.org', plan: 'monthly' });
  await fetch(`${opened.service.url}/v1/user/create?${query}`, { method: 'POST' });
  const code = await codeOf(before + 1);
  await follow(`#verify=${code}`);
  await page.getByRole('button', { name: 'Confirm and get the key' }).click();
  await page.getByRole('heading', { name: 'Your API key' }).waitFor();
  expect(await page.locator('#created-key-remember').isChecked()).toBe(false);
  expect(await kept(), "another user's key is unchanged").toContain(mine);
});

it('saves the notice settings, and shows the webhook secret once', async () => {
  const key = await opened.service.createUser();
  here = await opened.visit({ key });
  const { page } = here;
  const panel = page.locator('#notices');
  await panel.waitFor();
  const thresholds = panel.getByLabel('percentages of the allowance');
  const address = panel.getByLabel('Webhook URL');
  expect(await thresholds.inputValue()).toBe('80, 100');
  expect(await panel.getByLabel('By email to ada@example.org').isChecked()).toBe(false);

  const save = async () => panel.getByRole('button', { name: 'Save' }).click();
  await address.fill('https://127.0.0.1/hook');
  await save();
  await panel.getByText('Enter a public https:// URL').waitFor();
  await panel.getByText('The operator can allow other addresses with WEBHOOK_ALLOW.').waitFor();
  expect(await address.getAttribute('aria-invalid')).toBe('true');
  await address.fill('https://hooks.example.org/quotient');
  await thresholds.fill('90 50%');
  await panel.getByLabel('By email').check();
  await save();
  await panel.getByText('Saved.').waitFor();
  expect(await address.getAttribute('aria-invalid')).toBeNull();
  expect(await thresholds.inputValue()).toBe('50, 90');
  expect(await page.locator('#webhook-secret-text').innerText()).toMatch(/^whsec_[\w+/=]{32,}$/);
  const webhookUrl = 'https://hooks.example.org/quotient';
  expect(await (await opened.service.get('/v1/user/notices', { key })).json()).toEqual({
    email: true,
    webhookUrl,
    thresholds: [50, 90],
  });
  await expectSoundLooks(page, 'the notices', [320, 1280], '#notices');

  await thresholds.fill('');
  await save();
  await page.locator('#webhook-secret').waitFor({ state: 'hidden' });
  await expect
    .poll(async () => (await opened.service.get('/v1/user/notices', { key })).json())
    .toMatchObject({
      webhookUrl,
      thresholds: [],
    });
  await page.reload();
  await panel.waitFor();
  expect(await address.inputValue()).toBe(webhookUrl);
  expect(await page.content()).not.toContain('whsec_');
});
