import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { mintWebhookSecret, webhookHeaders } from '#notifications/sources/signature';

const now = () => Date.now();

test('the Standard Webhooks library accepts the signature, whatever the body is', () => {
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

test('during a rotation, a receiver with either secret accepts the signature', () => {
  const [fresh, old] = [mintWebhookSecret(), mintWebhookSecret()];
  const headers = webhookHeaders({ id: 'a', now: now(), body: '{}' }, [fresh, old]);
  for (const secret of [fresh, old]) new Webhook(secret).verify('{}', headers);
  expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
});

test('a secret has 32 random bytes', () => {
  const secrets = Array.from({ length: 50 }, mintWebhookSecret);
  expect(new Set(secrets).size).toBe(50);
  for (const secret of secrets) expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
});
