import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '#core/clock';
import { deleteExpired } from '#database/retention';
import type { statusRecord } from '#web/status/serve-status';
import { createTestClock, type TestClock } from '../../fixtures/clock.ts';
import { startMailServer } from '../support/mail/mail-server.ts';
import { type Service, startService } from '../support/service/service.ts';

const FAULT = { kind: 'status', status: 500, body: {} } as const;

let clock: TestClock;
let service: Service;
let key: string;

async function start(settings: Record<string, string> = {}) {
  service = await startService({
    clock,
    settings: {
      MARKET_SOURCES: 'coingecko',
      COINGECKO_CALLS_PER_MINUTE: '100000',
      COINGECKO_CALLS_PER_MONTH: '100000000',
      COINGECKO_REFRESH: 'latest=5m',
      ...settings,
    },
  });
  key = await service.createUser({ validUntil: clock.now() + 300 * DAY });
}

beforeEach(async () => {
  clock = createTestClock('2026-11-21T10:00:00Z');
});
afterEach(() => service.close());

async function status() {
  const response = await service.get('/status', { headers: { accept: 'application/json' } });
  return (await response.json()) as ReturnType<typeof statusRecord>;
}

async function component(name: string) {
  return (await status()).components.find((one) => one.name === name);
}

/** Advances the clock in steps, with a poll after each, as a running process does. */
async function pass(ms: number) {
  for (let left = ms; left > 0; left -= 15 * SECOND) {
    clock.advance(Math.min(left, 15 * SECOND));
    await service.parts.allowance.poll();
    await service.parts.poll();
  }
}

/** Requests the price, which fetches it if it is due. */
const price = async () => (await service.get('/v1/prices/latest/token?tokenName=bitcoin', { key })).status;
const rows = () => service.database.prisma.incident.findMany({ orderBy: { id: 'asc' } });

describe('an incident of prices', () => {
  beforeEach(() => start());

  it('begins after a minute, and ends when the source has worked for a minute', async () => {
    expect(await price()).toBe(200);
    await pass(15 * SECOND);
    expect(await component('prices')).toMatchObject({ state: 'operational', dataAt: '2026-11-21T10:00:00.000Z' });
    await pass(10 * MINUTE);
    service.sandbox.faults.always(FAULT);
    expect(await price()).toBe(200);
    await expect.poll(async () => (await component('prices'))?.state).toBe('degraded');
    await pass(45 * SECOND);
    expect(await rows()).toEqual([]);

    await pass(45 * SECOND);
    const ongoing = await status();
    expect(ongoing.state).toBe('degraded');
    expect(ongoing.incidents).toMatchObject([
      { component: 'prices', state: 'degraded', reason: 'all_sources_failing', endedAt: null },
    ]);
    const html = await (await service.get('/status')).text();
    expect(html).toMatch(/Prices: degraded<\/strong> .*ongoing for 1 minute/);
    expect(html).toContain('aria-label="Last 30 days: degraded on 21 Nov 2026; no data on 23 Oct 2026 to 20 Nov 2026.');

    service.sandbox.faults.clear();
    await pass(10 * MINUTE);
    expect(await price()).toBe(200);
    await expect.poll(async () => (await component('prices'))?.state).toBe('operational');
    await pass(90 * SECOND);
    const [ended] = (await status()).incidents;
    expect(Date.parse(ended?.endedAt ?? '')).toBeGreaterThan(Date.parse(ended?.startedAt ?? '') + 10 * MINUTE);
    expect(Date.parse(ended?.endedAt ?? '')).toBeLessThanOrEqual(clock.now() - MINUTE);
    expect((await component('prices'))?.days.at(-1)).toEqual({ date: '2026-11-21', state: 'degraded' });
  });

  it('does not begin for failures that end within a minute', async () => {
    for (let time = 0; time < 5; time++) {
      service.parts.outcomes.note('coingecko', 'timeout');
      await pass(30 * SECOND);
      service.parts.outcomes.note('coingecko', 'ok');
      await pass(30 * SECOND);
    }
    expect(await rows()).toEqual([]);
  });

  it('continues as one row while the source flaps', async () => {
    for (let time = 0; time < 10; time++) {
      service.parts.outcomes.note('coingecko', 'timeout');
      await pass(2 * MINUTE);
      service.parts.outcomes.note('coingecko', 'ok');
      await pass(2 * MINUTE);
    }
    expect(await rows()).toHaveLength(1);
    await pass(HOUR);
    service.parts.outcomes.note('coingecko', 'timeout');
    await pass(2 * MINUTE);
    expect(await rows()).toMatchObject([{ endedAt: expect.any(Date) }, { endedAt: null }]);
  });

  it.each([250 * DAY, 30 * DAY])('begins and ends as usual after the clock was wrong by %i ms', async (wrongBy) => {
    clock.set(wrongBy);
    await pass(15 * SECOND);
    expect(await price()).toBe(200);
    await service.parts.outcomes.write();
    clock.set(-wrongBy);
    service.parts.outcomes.note('coingecko', 'timeout');
    await service.parts.outcomes.write();
    await pass(2 * MINUTE);
    expect((await component('prices'))?.state).not.toBe('operational');
    expect((await status()).incidents).toMatchObject([{ component: 'prices', endedAt: null }]);
    service.parts.outcomes.note('coingecko', 'ok');
    await service.parts.outcomes.write();
    await pass(2 * MINUTE);
    expect((await component('prices'))?.state).toBe('operational');
    expect((await status()).incidents).toMatchObject([{ component: 'prices', endedAt: expect.any(String) }]);
    expect(await service.database.prisma.sourceOutcome.findMany()).toMatchObject([
      { source: 'coingecko', succeededAt: expect.any(Date), failedAt: expect.any(Date) },
    ]);
    for (const { succeededAt, failedAt } of await service.database.prisma.sourceOutcome.findMany())
      for (const at of [succeededAt, failedAt]) expect(at?.getTime()).toBeLessThanOrEqual(clock.now());
  });

  it('becomes an outage while no data is useful, and remains one in the record', async () => {
    service.parts.outcomes.note('coingecko', 'timeout');
    await pass(2 * MINUTE);
    expect(await rows()).toMatchObject([{ component: 'prices', state: 'down', reason: 'all_sources_failing' }]);
  });

  it('leaves days without data while no process runs', async () => {
    await service.parts.poll();
    clock.advance(2 * DAY);
    await service.parts.poll();
    service.parts.outcomes.note('coingecko', 'timeout');
    await pass(2 * MINUTE);
    expect((await component('prices'))?.days.slice(-4)).toEqual([
      { date: '2026-11-20', state: 'no_data' },
      { date: '2026-11-21', state: 'operational' },
      { date: '2026-11-22', state: 'no_data' },
      { date: '2026-11-23', state: 'down' },
    ]);
  });

  it('disappears from the page after 30 days and from the database after 90 days', async () => {
    service.parts.outcomes.note('coingecko', 'timeout');
    await pass(2 * MINUTE);
    service.parts.outcomes.note('coingecko', 'ok');
    await pass(2 * MINUTE);
    clock.advance(31 * DAY);
    await service.parts.poll();
    expect((await status()).incidents).toEqual([]);
    expect(await rows()).toHaveLength(1);
    clock.advance(60 * DAY);
    await service.parts.poll();
    await deleteExpired(service.database.prisma, clock.now());
    expect(await rows()).toEqual([]);
    // Two components and the database.
    expect(await service.database.prisma.observedDay.count()).toBe(2 * 3);
  });
});

it('shows the state of the configured node and of mail, without their addresses', async () => {
  const server = await startMailServer();
  try {
    await start({
      NODE_URLS: 'http://user:secret@127.0.0.1:9/a-secret-path',
      SMTP_URL: server.url,
      MAIL_FROM: 'quotient@example.org',
      PUBLIC_URL: 'https://quotient.example.org',
    });
    const { mail } = service.parts;
    expect((await component('mail'))?.state).toBe('operational');
    expect((await service.get('/v1/node/node_info', { key })).status).toBeGreaterThanOrEqual(500);
    await server.close();
    await service.parts.users.create({ name: 'Ada', email: 'ada@example.org', plan: 'monthly' });
    await mail?.recovery.request('ada@example.org');
    await mail?.outbox.deliverDue();
    await pass(90 * SECOND);
    const { components, incidents } = await status();
    expect(components).toMatchObject([
      { name: 'prices', state: 'operational' },
      { name: 'statistics', state: 'operational' },
      { name: 'node', state: 'down', reason: 'all_nodes_failing' },
      { name: 'mail', state: 'down', reason: 'mail_failing' },
      { name: 'database', state: 'operational' },
    ]);
    expect(incidents.map((one) => one.component).sort()).toEqual(['mail', 'node']);
    for (const accept of ['application/json', 'text/html']) {
      const body = await (await service.get('/status', { headers: { accept } })).text();
      expect(body).not.toMatch(/secret|127\.0\.0\.1|example\.org|ECONNREFUSED/);
    }
  } finally {
    await server.close().catch(() => undefined);
  }
});
