import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { iso, SECOND } from '#core/clock';
import { type Replicas, startReplicas } from '../ledger/processes/replicas.ts';
import { amount } from '../support/long.ts';
import { PRICED } from '../support/service/hammer.ts';

const TOKEN = 'an-admin-token-of-more-than-32-characters';
const CHANGES = amount(120, 600);
const USERS = 4;
const PROCESSES = 2;
/** The time within which every process applies a change made on another process, in ms. */
const WITHIN = 5 * SECOND;

let replicas: Replicas;
beforeAll(async () => {
  replicas = await startReplicas(PROCESSES, { env: { ADMIN_PORT: '0', ADMIN_TOKEN: TOKEN } });
});
afterAll(() => replicas?.close());

type Process = Replicas['processes'][number];

async function adminUrlOf({ logged }: Process): Promise<string> {
  return /http:\/\/[\d.]+:\d+/.exec(await logged(/Operator API listening at/))?.[0] ?? '';
}

const random = (below: number) => Math.floor(Math.random() * below);

/** A random change with values that no other change has. */
function randomChange(n: number): { path: string; method: string; body?: unknown } {
  const unique = `change ${n}`;
  const changes = [
    { path: 'suspend', body: { reason: unique } },
    { path: 'resume', body: { reason: unique } },
    { path: 'limit', body: { limit: 1_000 + n } },
    { path: 'plan', body: { plan: n % 2 ? 'monthly' : 'yearly', from: 'now', limit: 1_000 + n } },
    { path: 'plan', body: { plan: n % 2 ? 'monthly' : 'yearly', from: 'next', limit: 1_000 + n } },
    { path: 'credits', body: { calls: 1 + n, reason: unique } },
    { path: 'rotate', body: { graceSeconds: 0 } },
    { path: 'renew', body: undefined },
  ];
  return { method: 'POST', ...(changes[random(changes.length)] as (typeof changes)[0]) };
}

async function send(url: string, user: number, { path, method, body }: ReturnType<typeof randomChange>) {
  const response = await fetch(`${url}/admin/v1/users/${user}/${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20 * SECOND),
  });
  await response.text();
  return response.status;
}

it('suspends a user on another process within 5 s', async () => {
  const { key, apiKey } = await replicas.createUser(1_000_000);
  const [first, second] = replicas.processes as [Process, Process];
  const status = async () => (await fetch(`${second.url}${PRICED}`, { headers: { 'x-api-key': apiKey } })).status;
  expect(await status()).toBe(200);
  const url = await adminUrlOf(first);
  const change = (path: string) => ({ path, method: 'POST', body: { reason: 'test' } });
  expect(await send(url, key, change('suspend'))).toBe(200);
  await expect.poll(status, { timeout: WITHIN }).toBe(403);
  expect(await send(url, key, change('resume'))).toBe(200);
  await expect.poll(status, { timeout: WITHIN }).toBe(200);
});

type State = Record<string, unknown>;

/** The state of a user, as the audit events describe it. */
async function stateOf(key: number): Promise<State> {
  const user = await replicas.prisma.user.findUniqueOrThrow({ where: { key } });
  const { plan, limit, validUntil, suspendedAt, suspendedReason, nextPlan, nextLimit, nextFrom } = user;
  const next = nextPlan && nextFrom ? { plan: nextPlan, limit: nextLimit, from: iso(nextFrom.getTime()) } : null;
  return {
    plan,
    limit,
    suspended: suspendedAt !== null,
    reason: suspendedReason,
    validUntil: iso(validUntil.getTime()),
    nextPlan: next,
  };
}

/** The members of an event that belong to the state. The reason of a resumption is only in its event. */
function membersOf(action: string, values: State): State {
  if (action === 'user.suspend' || action === 'user.resume') {
    const { suspended, reason } = values;
    return { suspended, reason: suspended ? reason : null };
  }
  if (action === 'user.rotate' || action === 'user.credits') return {};
  return values;
}

it('one event for each change that happened, and none for others, when processes are killed at any point', {
  timeout: 240_000,
}, async () => {
  const users = await Promise.all(Array.from({ length: USERS }, () => replicas.createUser(1_000)));
  const first = new Map(await Promise.all(users.map(async ({ key }) => [key, await stateOf(key)] as [number, State])));
  const processes = [...replicas.processes];
  const urls = await Promise.all(processes.map(adminUrlOf));
  let sent = 0;
  let unanswered = 0;
  let isOver = false;

  async function client(n: number): Promise<void> {
    while (sent < CHANGES) {
      sent += 1;
      const user = users[random(USERS)] as (typeof users)[0];
      try {
        await send(urls[n] as string, user.key, randomChange(sent));
      } catch {
        unanswered += 1;
        await wait(50);
      }
    }
  }

  async function killer(): Promise<void> {
    while (!isOver) {
      await wait(random(400));
      if (isOver) return;
      const n = random(PROCESSES);
      await processes[n]?.kill();
      processes[n] = await replicas.start();
      urls[n] = await adminUrlOf(processes[n] as Process);
    }
  }

  const killing = killer();
  await Promise.all(Array.from({ length: 2 * PROCESSES }, (_, n) => client(n % PROCESSES)));
  isOver = true;
  await killing;
  expect(unanswered).toBeGreaterThan(0);

  for (const { key } of users) {
    const events = await replicas.prisma.auditEvent.findMany({ where: { userKey: key }, orderBy: { id: 'asc' } });
    let state = first.get(key) as State;
    for (const { action, before, after } of events) {
      // A change without an event, or an event without a change, would break the chain of values.
      expect([action, state]).toEqual([action, { ...state, ...membersOf(action, before as State) }]);
      state = { ...state, ...membersOf(action, after as State) };
    }
    expect(await stateOf(key)).toEqual(state);
    const of = (action: string) => events.filter((event) => event.action === action);
    const keys = await replicas.prisma.apiKey.findMany({ where: { userKey: key }, orderBy: { id: 'asc' } });
    const starts = of('user.rotate').map(({ after }) => (after as { start: string }).start);
    expect(keys.slice(1).map(({ start }) => start)).toEqual(starts);
    const credits = await replicas.prisma.credit.findMany({ where: { userKey: key }, orderBy: { id: 'asc' } });
    expect(credits.map(({ reason }) => reason)).toEqual(
      of('user.credits').map(({ after }) => (after as { reason: string }).reason),
    );
    const usage = await replicas.prisma.usage.aggregate({ where: { userKey: key }, _sum: { credits: true } });
    expect(usage._sum.credits ?? 0).toBe(credits.reduce((sum, { calls }) => sum + calls, 0));
  }
  for (const process of processes) await process.kill();
});
