import { afterAll, beforeAll, expect, it } from 'vitest';
import { openEvents } from '../../support/service/event-stream.ts';
import { type Service, startService } from '../../support/service/service.ts';

let [service, other]: Service[] = [];
beforeAll(async () => {
  service = await startService({ settings: { BURST_PER_SECOND: '0' } });
  other = await startService({ settings: { BURST_PER_SECOND: '0' }, database: service.database });
});
afterAll(async () => {
  await other?.close();
  await service?.close();
});

const post = (path: string, key: string) =>
  fetch(`${service?.url}${path}`, { method: 'POST', headers: { 'x-api-key': key } });

async function ticketOf(key: string): Promise<string> {
  const response = await post('/v1/prices/stream/tickets', key);
  expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store']);
  const { ticket, expiresAt } = (await response.json()) as { ticket: string; expiresAt: string };
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(31_000);
  return ticket;
}

const openOn = (one: Service | undefined, ticket: string, key?: string) =>
  openEvents(`${one?.url}/v1/prices/stream?tokenNames=btc&ticket=${ticket}`, { ...(key && { key }) });

async function usedBy(key: string): Promise<number> {
  const usage = await (service as Service).get('/v1/user/usage', { key });
  return ((await usage.json()) as { used: number }).used;
}

it('a ticket opens one stream, on any process, and only the stream is charged', async () => {
  const key = await (service as Service).createUser();
  const ticket = await ticketOf(key);
  expect(await usedBy(key)).toBe(0);
  const attempts = await Promise.all(Array.from({ length: 20 }, (_, i) => openOn(i % 2 ? service : other, ticket)));
  const outcomes = attempts.map((one) => one.code() ?? one.status);
  expect(outcomes.filter((one) => one === 200)).toHaveLength(1);
  expect(outcomes.filter((one) => one === 'token_invalid')).toHaveLength(19);
  const stream = attempts.find(({ status }) => status === 200);
  await stream?.received(1);
  expect(stream?.prices()[0].tokenName).toBe('bitcoin');
  expect(await service?.database.prisma.streamTicket.count()).toBe(0);
  await expect.poll(() => usedBy(key)).toBe(1);
  stream?.close();
});

it('a ticket takes precedence over a key, and is not stored in plain text', async () => {
  const [key, another] = [await (service as Service).createUser(), await (service as Service).createUser()];
  const ticket = await ticketOf(key);
  const rows = await service?.database.prisma.streamTicket.findMany();
  expect(JSON.stringify(rows)).not.toContain(ticket);
  const stream = await openOn(service, ticket, another);
  expect(stream.status).toBe(200);
  expect([await usedBy(key), await usedBy(another)]).toEqual([1, 0]);
  stream.close();
});

it('an expired ticket is rejected, and deleted with the next one', async () => {
  const key = await (service as Service).createUser();
  const [ticket, left] = [await ticketOf(key), await ticketOf(key)];
  await service?.database.prisma.streamTicket.updateMany({ data: { expiresAt: new Date(Date.now() - 1) } });
  expect((await openOn(other, ticket)).code()).toBe('token_invalid');
  const fresh = await ticketOf(key);
  expect(await service?.database.prisma.streamTicket.count()).toBe(1);
  expect((await openOn(other, left)).code()).toBe('token_invalid');
  const stream = await openOn(other, fresh);
  expect(stream.status).toBe(200);
  stream.close();
});

it('a ticket has the rights of its key', async () => {
  const owner = await (service as Service).createUser();
  const created = await post('/v1/user/keys?label=page', owner);
  const { id, apiKey } = (await created.json()) as { id: number; apiKey: string };
  const [first, second] = [await ticketOf(apiKey), await ticketOf(apiKey)];
  const stream = await openOn(other, first);
  await stream.received(1);
  await fetch(`${service?.url}/v1/user/keys/${id}`, { method: 'DELETE', headers: { 'x-api-key': owner } });
  await stream.ended();
  expect(stream.code()).toBe('api_key_revoked');
  expect((await openOn(service, second)).code()).toBe('api_key_revoked');

  const nodes = await post('/v1/user/keys?label=node&scopes=node', owner);
  const { apiKey: nodeKey } = (await nodes.json()) as { apiKey: string };
  const refused = await post('/v1/prices/stream/tickets', nodeKey);
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([403, 'scope_missing']);
});
