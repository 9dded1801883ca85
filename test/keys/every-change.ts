import { randomUUID } from 'node:crypto';
import type { Service } from '../support/service/service.ts';

export type Change = { method: string; path: string; body?: unknown };
type Operation = { operationId: string; 'x-scope'?: string };

/**
 * A valid request for each operation that changes a user's data, by its `operationId`. `id` is a key of the user, and
 * `delivery` is a delivery of a webhook.
 */
const REQUESTS: Record<string, (id: number, delivery: string) => Change> = {
  rotateKey: () => ({ method: 'POST', path: '/v1/user/rotate' }),
  renewKey: () => ({ method: 'POST', path: '/v1/user/renew' }),
  deleteUser: () => ({ method: 'DELETE', path: '/v1/user' }),
  createKey: () => ({ method: 'POST', path: '/v1/user/keys?label=x' }),
  updateKey: (id) => ({ method: 'PATCH', path: `/v1/user/keys/${id}`, body: { label: 'other' } }),
  revokeKey: (id) => ({ method: 'DELETE', path: `/v1/user/keys/${id}` }),
  setNotices: () => ({
    method: 'PUT',
    path: '/v1/user/notices',
    body: { email: true, webhookUrl: 'https://example.org/hook', thresholds: [80] },
  }),
  sendTestWebhook: () => ({ method: 'POST', path: '/v1/user/webhook/test' }),
  resendWebhook: (_, delivery) => ({ method: 'POST', path: `/v1/user/webhook/deliveries/${delivery}/resend` }),
};

/**
 * Returns a valid request for every operation that changes a user's data with an owner key. Throws if this file lacks a
 * request for an operation of the OpenAPI document, so that new operations are tested too.
 */
export async function everyChange(
  service: Pick<Service, 'get'>,
  id: number,
  delivery: string = randomUUID(),
): Promise<Change[]> {
  const { paths } = (await (await service.get('/openapi.json')).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.values(paths).flatMap((methods) =>
    Object.entries(methods).filter(([method, one]) => method !== 'get' && one['x-scope'] === 'account'),
  );
  return operations.map(([, { operationId }]) => {
    const request = REQUESTS[operationId];
    if (!request) throw new Error(`There is no request for ${operationId}: add one.`);
    return request(id, delivery);
  });
}

/** Sends a request with a key. Returns the problem's code, or the status. */
export async function outcomeOf(url: string, { method, path, body }: Change, key: string) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const problem = text === '' ? {} : (JSON.parse(text) as { code?: string });
  return problem.code ?? response.status;
}

/** Creates a key with the scope `prices`, using an owner key. */
export async function makeKey(url: string, owner: string) {
  const response = await fetch(`${url}/v1/user/keys?label=shop`, {
    method: 'POST',
    headers: { 'x-api-key': owner },
  });
  return (await response.json()) as { id: number };
}

/** Sets a webhook URL that cannot be reached, and adds a delivery. Returns the ID of the delivery. */
export async function addDelivery({ database: { prisma } }: Pick<Service, 'database'>, userKey: number) {
  const webhookUrl = 'https://webhook.invalid/';
  await prisma.noticeSettings.create({ data: { userKey, email: false, webhookUrl, secret: 'whsec_', thresholds: [] } });
  const message = { messageId: randomUUID(), kind: 'notice', payload: '{"type":"","timestamp":"","data":{}}' };
  const { id } = await prisma.webhookDelivery.create({ data: { id: randomUUID(), userKey, ...message } });
  return id;
}

/** All stored data of a user that such a change could alter. */
export const storedOf = ({ database: { prisma } }: Pick<Service, 'database'>, userKey: number) =>
  Promise.all([
    prisma.user.findUnique({ where: { key: userKey }, omit: { changedAt: true } }),
    prisma.apiKey.findMany({ where: { userKey }, orderBy: { id: 'asc' }, omit: { lastUsedAt: true } }),
    prisma.noticeSettings.findMany({ where: { userKey } }),
    prisma.webhookDelivery.findMany({ where: { userKey } }),
  ]);
