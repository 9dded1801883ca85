import type { Locator } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, expect, it } from 'vitest';
import { useConsole, type Visit } from '../../support/browser/console.ts';
import { expectSoundLooks } from '../../support/browser/looks.ts';
import { type MailServer, mailSettings, startMailServer } from '../../support/mail/mail-server.ts';
import { type Receiver, startReceiver } from '../../support/webhook/receiver.ts';

let mailServer: MailServer;
let receiver: Receiver;
/** The status of the receiver's responses. */
let status = 204;
afterAll(async () => {
  await receiver?.close();
  await mailServer?.close();
});
const opened = useConsole(async () => {
  mailServer = await startMailServer();
  receiver = await startReceiver(() => status);
  return { WEBHOOK_ALLOW: '127.0.0.1/32', ...mailSettings(mailServer) };
});
let here: Visit;

const visit = async (key: string, service: { url: string } = opened.service) => {
  here = await opened.visit({ key, path: '/#/notices', service, prepare: (page) => page.clock.install() });
};
const panel = (name: string) => here.page.getByRole('region', { name, exact: true });
const notices = () => panel('Settings');
const deliveries = () => panel('Webhook deliveries');
const rows = () =>
  deliveries()
    .getByRole('row')
    .filter({ has: here.page.getByRole('rowheader') });
/** Waits until the receiver has `count` deliveries, and then until the page, which reads the list again, shows a text. */
async function arrival(count: number, shown: Locator): Promise<void> {
  await expect.poll(() => receiver.deliveries.length).toBe(count);
  await expect
    .poll(async () => {
      await here.page.clock.runFor(1500);
      return shown.count();
    })
    .toBeGreaterThan(0);
}
const save = () => notices().getByRole('button', { name: 'Save', exact: true }).click();

it('saves the settings, shows the secret once, and sends, lists and resends a test event', async () => {
  const key = await opened.service.createUser();
  await visit(key);
  const thresholds = notices().getByLabel('percentages of the allowance');
  const url = notices().getByLabel('By webhook');
  const secret = notices().getByRole('status', { name: 'Webhook secret' });
  const stored = async () => (await opened.service.get('/v1/user/notices', { key })).json();
  expect(await thresholds.inputValue()).toBe('80, 100');
  expect(await notices().getByLabel('By email to ada@example.org').isChecked()).toBe(false);
  await deliveries().getByText('No webhook URL is set.').waitFor();
  await deliveries().getByText('No deliveries in the last 30 days.').waitFor();
  expect(await deliveries().getByRole('button').allInnerTexts()).toEqual(['Refresh']);

  await url.fill('https://10.0.0.1/hook');
  await save();
  await notices().getByText('Enter a public https:// URL').waitFor();
  await notices().getByText('The operator can allow other addresses with WEBHOOK_ALLOW.').waitFor();
  expect(await url.getAttribute('aria-invalid')).toBe('true');
  await url.fill(receiver.url);
  await thresholds.fill('90 50%');
  await notices().getByLabel('By email').check();
  await save();
  await notices().getByText('Saved.').waitFor();
  expect(await url.getAttribute('aria-invalid')).toBeNull();
  expect(await thresholds.inputValue()).toBe('50, 90');
  const [signingSecret = ''] = /whsec_[\w+/=]{32,}/.exec(await secret.innerText()) ?? [];
  expect(await stored()).toEqual({ email: true, webhookUrl: receiver.url, thresholds: [50, 90] });

  await deliveries().getByRole('button', { name: 'Send test event' }).click();
  const outcome = deliveries()
    .getByRole('status')
    .filter({ hasText: /^Delivered on .+ after 1 attempt, status 204\.$/ });
  await arrival(1, outcome);
  const [first] = receiver.deliveries;
  const event = new Webhook(signingSecret).verify(String(first?.body), first?.headers ?? {});
  expect(event).toMatchObject({ type: 'webhook.test' });
  await rows().getByText('delivered', { exact: true }).waitFor();
  await rows().click();
  const payload = deliveries().getByRole('code').filter({ hasText: '{' });
  expect(JSON.parse(String(await payload.textContent()))).toEqual(event);

  await deliveries()
    .getByRole('button', { name: /^Resend webhook\.test of / })
    .press('Enter');
  await rows().nth(1).waitFor();
  await rows().first().getByText('resend', { exact: true }).waitFor();
  expect(await rows().getByText('resend', { exact: true }).count()).toBe(1);
  expect(await rows().getByRole('rowheader').first().innerText()).toMatch(/:\d\d:\d\d/);
  await arrival(2, outcome);
  expect(receiver.deliveries[1]?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(await payload.count(), 'the details stay open').toBe(1);
  expect(await here.page.evaluate('document.activeElement.textContent')).toBe('Resend');
  await expectSoundLooks(here.page, 'the notices', [320, 1280]);

  await thresholds.fill('');
  await save();
  await expect.poll(stored).toMatchObject({ webhookUrl: receiver.url, thresholds: [] });
  await expect.poll(() => here.page.content()).not.toContain('whsec_');
  await here.page.reload();
  await expect.poll(() => url.inputValue()).toBe(receiver.url);
  expect(await here.page.content()).not.toContain('whsec_');

  status = 503;
  await deliveries().getByRole('button', { name: 'Send test event' }).click();
  await arrival(3, rows().getByText('retrying', { exact: true }));
  await rows()
    .getByText(/1 attempt: the receiver responded with 503\. Next attempt in \d+ seconds?, on /)
    .waitFor();
});

it('states what to do without the owner key, and without email', async () => {
  const owner = await opened.service.createUser();
  await visit(await opened.service.createKey(owner, { label: 'Shop' }));
  await notices().getByText('sign in with the owner key').waitFor();
  expect(await deliveries().count()).toBe(0);
  const silent = await opened.serve();
  await visit(await silent.createUser(), silent);
  await notices().getByText('the operator has not set up email').waitFor();
  expect(here.requests.filter((url) => url.includes('/v1/user/notices'))).toEqual([]);
});
