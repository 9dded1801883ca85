import { afterAll, expect, it } from 'vitest';
import { useConsole, type Visit } from '../../support/browser/console.ts';
import { expectSoundLooks } from '../../support/browser/looks.ts';
import { type MailServer, mailSettings, startMailServer } from '../../support/mail/mail-server.ts';

let mailServer: MailServer;
afterAll(() => mailServer?.close());
const opened = useConsole(async () => {
  mailServer = await startMailServer();
  return { REGISTRATION: 'verified', ...mailSettings(mailServer) };
});
let here: Visit;

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
