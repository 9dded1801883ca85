import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '#core/clock';
import { openDatabase } from '#database/database';
import { STREAM_TIMES } from '#server/responses/stream-review';
import { createTestClock, type TestClock } from '../../../fixtures/clock.ts';
import { canStartPostgres, startPostgresServer } from '../../../fixtures/postgres-server.ts';
import { addSandboxTokens } from '../../../fixtures/sandbox-tokens.ts';
import { type Events, openEvents } from '../../support/service/event-stream.ts';
import { type Service, startService } from '../../support/service/service.ts';

const USERS = 10;
const PER_USER = 6;
const STEP = 5 * SECOND;
/** Numbers of tokens, and the calls that each costs per minute. */
const SIZES = [
  { tokens: 1, calls: 1 },
  { tokens: 10, calls: 1 },
  { tokens: 11, calls: 2 },
  { tokens: 30, calls: 3 },
];

/** `endedAt`: charges that were due later than this were not made. */
type Charged = { events: Events; keyId: number; owner: string; calls: number; openedAt: number; endedAt?: number };

/** A sequence of random numbers from 0 to 1 that is the same in each run. */
function createRandom(seed = 7) {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

describe.runIf(canStartPostgres)('the ledger', { timeout: 180_000 }, () => {
  const random = createRandom();
  let clock: TestClock;
  let server: Awaited<ReturnType<typeof startPostgresServer>>;
  let service: Service;
  let database: Service['database'];
  let names: string[];
  const streams: Charged[] = [];

  beforeAll(async () => {
    clock = createTestClock('2026-05-15T10:00:03Z');
    server = await startPostgresServer();
    database = { ...(await openDatabase({ url: server.url, dataDir: 'unused' })), url: server.url };
    names = await addSandboxTokens(database.prisma, 30);
    const settings = { BURST_PER_SECOND: '0', COINGECKO_CALLS_PER_MINUTE: '100000' };
    const streamTimes = { ...STREAM_TIMES, review: 10 };
    service = await startService({ clock, settings, database, streamTimes });
  }, 60_000);
  afterAll(async () => {
    await service?.close();
    await database?.close();
    await server?.close();
  });

  const open = () => streams.filter(({ endedAt }) => endedAt === undefined);

  /** The calls that the minutes of all streams cost until now. */
  const due = () =>
    streams.reduce((sum, { calls, openedAt, endedAt = clock.now() }) => {
      return sum + calls * (1 + Math.floor((endedAt - openedAt) / MINUTE));
    }, 0);

  /** The calls that this process has charged. No call of this test is refunded. */
  function charged(): number {
    const { settled, unsettled } = service.parts.allowance.reading();
    return settled + unsettled;
  }
  const expectCharged = () => expect.poll(charged, { timeout: 20_000, interval: 5 }).toBe(due());

  async function openOne(owner: string): Promise<void> {
    const created = await fetch(`${service.url}/v1/user/keys?label=stream`, {
      method: 'POST',
      headers: { 'x-api-key': owner },
    });
    const { id, apiKey } = (await created.json()) as { id: number; apiKey: string };
    const { tokens, calls } = SIZES[Math.floor(random() * SIZES.length)] as (typeof SIZES)[number];
    const url = `${service.url}/v1/prices/stream?tokenNames=${names.slice(0, tokens)}`;
    const openedAt = clock.now();
    const events = await openEvents(url, { key: apiKey });
    expect(events.status).toBe(200);
    streams.push({ events, keyId: id, owner, calls, openedAt });
  }

  /** Lets time pass with a database that responds. */
  async function step(): Promise<void> {
    clock.advance(STEP);
    await service.parts.allowance.settle();
    await service.parts.allowance.poll();
    await expectCharged();
  }

  /** Lets time pass without the database. Streams that cannot be charged or checked end. */
  async function stepAlone(isDone = () => charged() === due()): Promise<void> {
    const before = clock.now();
    clock.advance(STEP);
    const isSettled = () => {
      for (const one of open()) if (one.events.isEnded()) one.endedAt = before;
      return isDone();
    };
    await expect.poll(isSettled, { timeout: 20_000, interval: 5 }).toBe(true);
  }

  async function disconnect(one: Charged): Promise<void> {
    const { open: before } = service.parts.streamFigures;
    one.endedAt = clock.now();
    one.events.close();
    await expect.poll(() => service.parts.streamFigures.open, { interval: 5 }).toBe(before - 1);
  }

  async function revoke(one: Charged): Promise<void> {
    one.endedAt = clock.now();
    const path = `/v1/user/keys/${one.keyId}`;
    const { status } = await fetch(service.url + path, { method: 'DELETE', headers: { 'x-api-key': one.owner } });
    expect(status).toBe(204);
    await one.events.ended();
    expect(one.events.code()).toBe('api_key_revoked');
  }

  async function restart(): Promise<void> {
    await server.start();
    const state = () =>
      database.ready().then(
        () => 'ready',
        () => 'away',
      );
    await expect.poll(state, { timeout: 20_000 }).toBe('ready');
  }

  const pick = () => open()[Math.floor(random() * open().length)] as Charged;

  it('equals the minutes of 60 streams, with disconnections, revocations and outages of the database', async () => {
    const owners = await Promise.all(Array.from({ length: USERS }, () => service.createUser()));
    for (let i = 0; i < PER_USER; i++) {
      for (const owner of owners) await openOne(owner);
      await step();
    }
    expect(streams).toHaveLength(USERS * PER_USER);

    for (let steps = 0; steps < 20; steps++) {
      await step();
      await disconnect(pick());
      if (steps % 2 === 0) await revoke(pick());
    }
    const inHealth = due();
    expect(inHealth).toBeGreaterThan(2 * streams.length);

    // A short outage: the calls in the leases pay for some streams, and the others end.
    await server.stop('immediate');
    await stepAlone();
    await stepAlone();
    const outlasted = open().length;
    expect(outlasted).toBeGreaterThan(0);
    expect(due()).toBeGreaterThan(inHealth);
    await restart();
    for (let steps = 0; steps < 14; steps++) await step();
    expect(open()).toHaveLength(outlasted);

    // A long outage: no key can be checked, so all streams end.
    await server.stop('immediate');
    for (let steps = 0; steps < 4; steps++) await stepAlone();
    await stepAlone(() => open().length === 0);
    expect(charged()).toBe(due());
    const codes = streams.map(({ events }) => events.code());
    expect(codes.filter((code) => code === 'database_unavailable').length).toBeGreaterThanOrEqual(outlasted);
    await restart();

    await service.parts.allowance.close(20_000);
    const { _sum } = await database.prisma.usage.aggregate({ _sum: { used: true } });
    expect([_sum.used, await database.prisma.lease.count()]).toEqual([due(), 0]);
  });
});
