import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UserRecord } from '#users/users-records';
import { tokensIn } from '../../support/mail/mail-server.ts';
import { type MailingService, startMailingService } from '../../support/mail/mailing-service.ts';
import { type Service, startService } from '../../support/service/service.ts';

let open: Service;
let verified: MailingService;
beforeAll(async () => {
  open = await startService({ settings: { BASE_PATH: '/market' } });
  verified = await startMailingService({ settings: { REGISTRATION: 'verified' } });
});
afterAll(async () => {
  await open?.close();
  await verified?.close();
});

const FORM = new URLSearchParams({ name: 'Ada', email: 'ada@example.org', plan: 'monthly' });
const RENEWAL =
  '</v1/user/renew>; rel="related"; title="renew", </docs/plans#expiry-and-renewal>; rel="help"; title="How to renew the key"';

test('a registration links to the renewal of the key, below the base path', async () => {
  const response = await fetch(`${open.url}/v1/user/create?${FORM}`, { method: 'POST' });
  expect(response.status).toBe(201);
  expect(response.headers.get('link')).toBe(RENEWAL.replace('</v1', '</market/v1').replace('</docs', '</market/docs'));
  const { apiKey, validUntil } = (await response.json()) as UserRecord;
  const renewed = await fetch(`${open.url}/v1/user/renew`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey },
  });
  const record = (await renewed.json()) as UserRecord;
  expect([renewed.status, record.validUntil > validUntil]).toEqual([200, true]);
  const docs = await open.get('/docs', { headers: { accept: 'text/html' } });
  expect(await docs.text()).toContain('id="renewal"');
});

test('a registration that waits for its confirmation has the links as well, and the email states how long the key is valid', async () => {
  const pending = await verified.post(`/v1/user/create?${FORM}`);
  expect([pending.status, pending.headers.get('link')]).toEqual([202, RENEWAL]);
  const [mail] = await verified.mailsSent();
  expect(mail?.text).toContain('valid for one month');
  expect(mail?.text).toContain('POST /v1/user/renew');
  const token = tokensIn(mail as never)[0];
  const made = await verified.post('/v1/user/verify', { token });
  expect([made.status, made.headers.get('link')]).toEqual([201, RENEWAL]);
});

test('the API description contains the links', async () => {
  type Described = { headers: Record<string, unknown>; description: string };
  type Document = {
    paths: Record<string, { post: { responses: Record<string, Described> } }>;
    components: { schemas: { User: { properties: { validUntil: { description: string } } } } };
  };
  const { paths, components } = (await (await open.get('/openapi.json')).json()) as Document;
  const responses = paths['/v1/user/create']?.post.responses;
  expect(responses?.['201']?.headers).toHaveProperty('Link');
  expect(responses?.['202']?.headers).toHaveProperty('Link');
  expect(paths['/v1/user/verify']?.post.responses['201']?.headers).toHaveProperty('Link');
  expect(components.schemas.User.properties.validUntil.description).toContain('POST /v1/user/renew');
});
