import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { mintWebhookSecret, webhookHeaders } from '#notifications/sources/signature';

const now = () => Date.now();

test('what is signed is accepted by the Standard Webhooks library, whatever the body', () => {
  fc.assert(
    fc.property(fc.json(), fc.uuid(), (body, id) => {
      const secret = mintWebhookSecret();
      const headers = webhookHeaders({ id, now: now(), body }, [secret]);
      new Webhook(secret).verify(body, headers);
      expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
      expect(() => new Webhook(mintWebhookSecret()).verify(body, headers)).toThrow();
    }),
  );
});

test('during a rotation either secret is accepted', () => {
  const [fresh, old] = [mintWebhookSecret(), mintWebhookSecret()];
  const headers = webhookHeaders({ id: 'a', now: now(), body: '{}' }, [fresh, old]);
  for (const secret of [fresh, old]) new Webhook(secret).verify('{}', headers);
  expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
});

test('a secret is 32 random bytes', () => {
  const secrets = Array.from({ length: 50 }, mintWebhookSecret);
  expect(new Set(secrets).size).toBe(50);
  for (const secret of secrets) expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
});
