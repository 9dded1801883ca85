import { Webhook } from 'standardwebhooks';
import { afterAll, beforeEach, expect, it } from 'vitest';
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
  return { WEBHOOK_ALLOW: '127.0.0.0/8', ...mailSettings(mailServer) };
});
let here: Visit;
beforeEach(async () => {
  status = 204;
  receiver.deliveries.splice(0);
  here = await opened.visit({ key: await opened.service.createUser() });
  await panel().waitFor();
});

const panel = () => here.page.locator('#webhooks');
const items = () => panel().getByRole('listitem');
const sent = () => panel().locator('#webhook-sent');

/** Sets the webhook URL in the panel of notices. Returns the secret. */
async function setUrl(): Promise<string> {
  const notices = here.page.locator('#notices');
  await notices.getByLabel('Webhook URL').fill(receiver.url);
  await notices.getByRole('button', { name: 'Save' }).click();
  await notices.getByText('Saved.').waitFor();
  return here.page.locator('#webhook-secret-text').innerText();
}

it('sends a test event, shows its delivery and payload, and resends it with the same ID', async () => {
  expect(await panel().getByRole('button').filter({ visible: true }).allInnerTexts()).toEqual(['Update deliveries']);
  await panel().getByText('No webhook URL is set. Set one under Notices.').waitFor();
  const secret = await setUrl();
  await panel().getByRole('button', { name: 'Send test event' }).click();
  await sent()
    .getByText(/^Delivered on .+ after 1 attempt, status 204\.$/)
    .waitFor();
  const [first] = receiver.deliveries;
  const event = new Webhook(secret).verify(String(first?.body), first?.headers ?? {});
  expect(event).toMatchObject({ type: 'webhook.test' });

  expect(await items().count()).toBe(1);
  await items().getByText('delivered', { exact: true }).waitFor();
  await items().getByText('Payload').click();
  expect(JSON.parse(String(await items().locator('code').textContent()))).toEqual(event);

  await items()
    .getByRole('button', { name: /^Resend webhook\.test of / })
    .press('Enter');
  await items().nth(1).waitFor();
  await sent()
    .getByText(/^Delivered on /)
    .waitFor();
  expect(receiver.deliveries.map(({ headers }) => headers['webhook-id'])).toEqual([
    first?.headers['webhook-id'],
    first?.headers['webhook-id'],
  ]);
  await items()
    .first()
    .getByText(/^Resent on /)
    .waitFor();
  expect(await items().nth(1).locator('details').getAttribute('open'), 'the payload stays open').not.toBeNull();
  expect(await here.page.evaluate('document.activeElement.textContent')).toBe('Resend');
  await expectSoundLooks(here.page, 'the deliveries', [320, 1280], '#webhooks');
});

it('shows why a delivery failed, and when it is retried', async () => {
  status = 503;
  await setUrl();
  await panel().getByRole('button', { name: 'Send test event' }).click();
  await items().getByText('retrying', { exact: true }).waitFor();
  await items()
    .getByText(/1 attempt: the receiver responded with 503\. Next attempt in \d+ seconds?, on /)
    .waitFor();
});
