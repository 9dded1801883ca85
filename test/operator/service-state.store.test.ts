import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY, iso } from '#core/clock';
import { budgetReport } from '#operator/sources';
import { startMailServer } from '../support/mail/mail-server.ts';
import { PRICED } from '../support/service/hammer.ts';
import { type OperatorService, startOperator } from './operator-harness.ts';

let service: OperatorService;
let mail: Awaited<ReturnType<typeof startMailServer>>;
beforeAll(async () => {
  mail = await startMailServer();
  service = await startOperator({
    settings: {
      REGISTRATIONS_PER_MINUTE: '0',
      SMTP_URL: mail.url,
      MAIL_FROM: 'quotient@example.org',
      PUBLIC_URL: 'https://quotient.example.org',
    },
  });
});
afterAll(async () => {
  await service?.close();
  await mail?.close();
});

it('reports the state and the budget of each source', async () => {
  const { apiKey } = await service.user();
  expect((await service.get(PRICED, { key: apiKey })).status).toBe(200);
  await service.parts.outcomes.write();
  const { body } = await service.send('/admin/v1/sources');
  const [coingecko] = body;
  expect(coingecko).toMatchObject({ name: 'coingecko', state: 'working', lastFailure: null });
  expect(coingecko.budget.used).toBeGreaterThan(0);
  service.parts.outcomes.note('coingecko', 'timeout');
  await service.parts.outcomes.write();
  const [failing] = (await service.send('/admin/v1/sources')).body;
  expect(failing).toMatchObject({
    state: 'failing',
    lastSuccessAt: coingecko.lastSuccessAt,
    lastFailure: { cause: 'timeout' },
  });
  service.parts.outcomes.note('kraken', 'not_listed');
  await service.parts.outcomes.write();
  const kraken = (await service.send('/admin/v1/sources')).body.find(({ name }: { name: string }) => name === 'kraken');
  expect(kraken, 'the source responded').toMatchObject({ state: 'working', lastFailure: { cause: 'not_listed' } });
});

it('extrapolates the calls of a month at its average rate', () => {
  const now = Date.parse('2026-11-11T00:00:00Z');
  const rate = 100 / DAY;
  expect(budgetReport({ spent: 1_000, limit: 2_000, rate }, now)).toEqual({
    limit: 2_000,
    used: 1_000,
    remaining: 1_000,
    forecast: 3_000,
    exhaustedAt: iso(now + 10 * DAY),
  });
  expect(budgetReport({ spent: 1_000, limit: 3_001, rate }, now)?.exhaustedAt).toBeNull();
  expect(budgetReport({ spent: 5, limit: Number.POSITIVE_INFINITY, rate }, now)).toMatchObject({
    limit: null,
    remaining: null,
    exhaustedAt: null,
  });
  expect(budgetReport({ spent: 0, limit: 10, rate: 0 }, now)).toMatchObject({ forecast: 0, exhaustedAt: null });
});

it('lists undelivered messages without their contents, and retries them', async () => {
  const { prisma } = service.database;
  const old = new Date(Date.now() - DAY);
  const waiting = crypto.randomUUID();
  const lost = crypto.randomUUID();
  const base = { payload: { email: 'secret@example.org' }, createdAt: old, lastError: 'status 503', attempts: 9 };
  await prisma.outboxMessage.create({ data: { id: waiting, kind: 'unknown', dueAt: new Date(2 ** 42), ...base } });
  await prisma.outboxMessage.create({
    data: { id: lost, kind: 'recover', dueAt: null, givenUpAt: new Date(), ...base, payload: {} },
  });
  const { text, body } = await service.send('/admin/v1/messages?limit=1');
  expect(body.items).toHaveLength(1);
  expect(text).not.toContain('secret@');
  const rest = (await service.send(`/admin/v1/messages?cursor=${body.nextCursor}`)).body;
  expect(rest.nextCursor).toBeNull();
  const found = [...body.items, ...rest.items];
  expect(found.find(({ id }) => id === waiting)).toMatchObject({ state: 'failed', isRetryable: true, attempts: 9 });
  expect(found.find(({ id }) => id === lost)).toMatchObject({ state: 'given_up', isRetryable: false });

  const retried = await service.change(`/messages/${waiting}/retry`);
  expect([retried.status, Date.parse(retried.body.nextAttemptAt) <= Date.now() + 1_000]).toEqual([200, true]);
  expect(retried.body, 'the error is that of the attempt before').toMatchObject({ state: 'waiting', lastError: null });
  expect((await service.change(`/messages/${lost}/retry`)).body.code).toBe('message_not_retryable');
  expect((await service.change(`/messages/${crypto.randomUUID()}/retry`)).status).toBe(404);
  expect((await service.change('/messages/1/retry')).status).toBe(400);
  const log = (await service.send('/admin/v1/audit?action=message.retry')).body.items;
  expect(log).toHaveLength(1);
  expect(log[0]).toMatchObject({
    target: `message:${waiting}`,
    before: { state: 'waiting' },
    after: { kind: 'unknown', state: 'due' },
  });
});

it('shows an announcement on every page until its end', async () => {
  const put = (body: unknown) => service.send('/admin/v1/announcement', { method: 'PUT', body });
  const page = async () => (await fetch(`${service.url}/status`, { headers: { accept: 'text/html' } })).text();
  const open = async () => (await service.get('/v1/announcement')).json();
  expect(await open()).toEqual({ text: null, until: null });
  const until = iso(Date.now() + DAY);
  expect((await put({ text: 'Maintenance <b>today</b>', until })).status).toBe(200);
  expect(await open()).toEqual({ text: 'Maintenance <b>today</b>', until });
  expect(await page()).toContain('Maintenance &lt;b&gt;today&lt;/b&gt;');
  for (const body of [{ text: 'x' }, { text: 'x', until: iso(0) }, { until }, { text: 'a\nb', until }])
    expect([body, (await put(body)).status]).toEqual([body, 400]);
  await service.database.prisma.announcement.updateMany({ data: { until: new Date() } });
  await service.database.prisma.refresh.update({
    where: { resource: 'announcement' },
    data: { version: { increment: 1 } },
  });
  await service.parts.poll();
  expect(await open()).toEqual({ text: null, until: null });
  expect((await put({ text: null })).body).toEqual({ text: null, until: null });
  expect(await page()).not.toContain('Maintenance');
  const log = (await service.send('/admin/v1/audit?action=announcement.set')).body.items;
  expect(log.map(({ after }: { after: unknown }) => after)).toEqual([
    null,
    { text: 'Maintenance <b>today</b>', until },
  ]);
});

it('filters audit events, returns them in pages, and streams all of them as lines', async () => {
  const { key } = await service.user('audit@example.org');
  for (let limit = 1; limit <= 7; limit++) await service.change(`/users/${key}/limit`, { limit });
  const all = (await service.send(`/admin/v1/audit?user=${key}`)).body.items;
  expect(all.map(({ after }: { after: { limit: number } }) => after.limit)).toEqual([7, 6, 5, 4, 3, 2, 1]);
  const paged: unknown[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await service.send(`/admin/v1/audit?user=${key}&limit=3${cursor}`);
    paged.push(...body.items);
    if (body.nextCursor === null) break;
    cursor = `&cursor=${body.nextCursor}`;
  }
  expect(paged).toEqual(all);
  const accept = 'application/x-ndjson';
  const { text, headers } = await service.send(`/admin/v1/audit?user=${key}`, { headers: { accept } });
  expect(headers.get('content-type')).toBe(accept);
  expect(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(all);
  const [newest] = all;
  const count = async (query: string) =>
    (await service.send(`/admin/v1/audit?user=${key}&${query}`)).body.items.length as number;
  expect(await count('actor=admin')).toBe(7);
  expect(await count('actor=cli:root')).toBe(0);
  expect(await count('action=user.erase')).toBe(0);
  expect(await count(`until=${newest.at}`)).toBeLessThan(7);
  expect(await count(`from=${iso(Date.now() + DAY)}`)).toBe(0);
  for (const query of ['action=none', 'from=today', 'user=0', 'cursor=W10'])
    expect((await service.send(`/admin/v1/audit?${query}`)).status).toBe(400);
  const csv = await service.send('/admin/v1/audit', { headers: { accept: 'text/csv' } });
  expect([csv.status, csv.body.code]).toEqual([406, 'not_acceptable']);
});

it('returns each of many events of the same instant once, and includes the start of a span but not its end', async () => {
  const at = '2026-02-03T04:05:06.789Z';
  await service.database.prisma.$executeRaw`
    INSERT INTO audit_event (at, actor, action, target) SELECT ${at}::timestamptz, 'cli:many', 'user.limit', 'user:' || n
    FROM generate_series(1, 1100) AS n`;
  const targets = (items: { target: string }[]) => items.map(({ target }) => target);
  const paged: string[] = [];
  let pages = 0;
  for (let cursor = ''; ; ) {
    const { body } = await service.send(`/admin/v1/audit?actor=cli:many&limit=100${cursor}`);
    paged.push(...targets(body.items));
    pages += 1;
    if (body.nextCursor === null) break;
    cursor = `&cursor=${body.nextCursor}`;
  }
  expect([pages, paged.length, new Set(paged).size]).toEqual([11, 1_100, 1_100]);
  const accept = 'application/x-ndjson';
  const { text } = await service.send('/admin/v1/audit?actor=cli:many', { headers: { accept } });
  const lines = text.trim().split('\n');
  expect(targets(lines.map((line) => JSON.parse(line)))).toEqual(paged);
  const counted = async (query: string) =>
    (await service.send(`/admin/v1/audit?actor=cli:many&limit=1&${query}`)).body.items.length as number;
  expect([await counted(`from=${at}`), await counted(`until=${at}`)]).toEqual([1, 0]);
});

it('the service has no statement that changes or deletes an audit event', async () => {
  const { globSync, readFileSync } = await import('node:fs');
  const changing = globSync('src/**/*.ts').filter(
    (file) =>
      !file.includes('/generated/') &&
      /(UPDATE|DELETE FROM|TRUNCATE)\s+"?audit_event|auditEvent\.(update|delete|upsert)/i.test(
        readFileSync(file, 'utf8'),
      ),
  );
  expect(changing).toEqual([]);
});
