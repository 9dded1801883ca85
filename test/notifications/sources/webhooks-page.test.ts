import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mintWebhookSecret, webhookHeaders } from '#notifications/channels/webhook/signature';
import { webhookBody } from '#notifications/channels/webhook/webhook-channel';
import type { Notice } from '#notifications/notice';

type IsGenuine = (secret: string, headers: Record<string, string>, body: string) => boolean;

const PAGE = new URL('../../../docs/webhooks.md', import.meta.url);
const file = join(tmpdir(), `webhooks-page-${process.pid}.ts`);

let page: string;
let isGenuine: IsGenuine;
beforeAll(async () => {
  page = await readFile(PAGE, 'utf8');
  const [, code = ''] = /^```ts\n(.*?)^```/ms.exec(page) ?? [];
  await writeFile(file, code);
  ({ isGenuine } = (await import(pathToFileURL(file).href)) as { isGenuine: IsGenuine });
});
afterAll(() => rm(file, { force: true }));

test('the page’s code accepts signed deliveries, even during a rotation, and rejects all others', () => {
  const [secret, old] = [mintWebhookSecret(), mintWebhookSecret()];
  const now = Date.now();
  const signed = (at: number, secrets = [secret, old]) => webhookHeaders({ id: 'a', now: at, body: '{}' }, secrets);
  for (const one of [secret, old]) expect(isGenuine(one, signed(now), '{}')).toBe(true);
  expect(isGenuine(mintWebhookSecret(), signed(now), '{}')).toBe(false);
  expect(isGenuine(secret, signed(now), '{} ')).toBe(false);
  expect(isGenuine(secret, signed(now - 301_000), '{}')).toBe(false);
  expect(isGenuine(secret, {}, '{}')).toBe(false);
});

test('the page’s example is what the service sends', () => {
  const [, json = ''] = /^```json\n(.*?)^```/ms.exec(page) ?? [];
  const notice: Notice = {
    ...{ id: 'a', userKey: 1, reportedAt: Date.parse('2026-02-14T09:30:00Z'), kind: 'usage', threshold: 80 },
    ...{ periodStart: Date.parse('2026-01-31T12:00:00Z'), used: 8_000, limit: 10_000 },
  };
  const term = { plan: 'monthly', anchor: notice.periodStart } as const;
  expect(JSON.parse(json)).toEqual(JSON.parse(webhookBody(notice, term)));
});
