import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { PRICED } from '../support/service/hammer.ts';
import { measureCommits } from './commit-latency.ts';
import { contentsOf, lostOf } from './contents.ts';
import type { Member } from './member.ts';
import type { ServicePair } from './service-pair.ts';
import { openStand, type Stand } from './stand.ts';
import { until } from './until.ts';

/*
 * The primary crashes while its replicas lag. With synchronous replication, no acknowledged change is lost. With
 * asynchronous replication, the newest changes are lost, and the service detects the loss.
 */

const DATABASE = 'balanced';
/** PostgreSQL logs the next 32 values of a sequence in advance, so only later record numbers are reused. */
const LATE_USERS = 40;
const RECOVERS_WITHIN = 30_000;

let stand: Stand;
let pair: ServicePair;
/** The 2xx responses of each key. */
let charged: Map<string, number>;
beforeAll(async () => {
  // Patroni replaces a crashed primary immediately instead of restarting it, so no cached key expires.
  stand = await openStand([DATABASE], { master_start_timeout: 0, maximum_lag_on_failover: 2 ** 30 });
  [pair] = stand.pairs as [ServicePair];
  charged = new Map(pair.keys.map((key) => [key, 0]));
});
afterAll(() => stand?.close());

let primary: Member;
beforeEach(async () => {
  primary = await stand.cluster.whole();
});

/** The user whose allowance a key shares. */
const owners = new Map<string, string>();

async function call(process: number, apiKey: string): Promise<number> {
  const { status } = await pair.request(process, 'GET', PRICED, apiKey);
  const owner = owners.get(apiKey) ?? apiKey;
  if (status === 200) charged.set(owner, (charged.get(owner) ?? 0) + 1);
  return status;
}

async function calls(process: number, apiKey: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++) expect(await call(process, apiKey)).toBe(200);
}

async function createKey(owner: string) {
  const { body } = await pair.request(0, 'POST', '/v1/user/keys?label=page', owner);
  owners.set(body.apiKey, owner);
  return body;
}

/** Calls both processes with a key until both respond with a status. */
const bothRespond = (apiKey: string, status: number) =>
  until(
    `both processes respond with ${status}`,
    async () => (await call(0, apiKey)) === status && (await call(1, apiKey)) === status,
    RECOVERS_WITHIN,
  );

/** Waits until the ledger contains every 2xx response, except the lost ones. */
const expectLedger = (lost: ReadonlyMap<string, number> = new Map()) =>
  expect
    .poll(pair.ledger, { timeout: RECOVERS_WITHIN })
    .toEqual(new Map(pair.keys.map((key) => [key, (charged.get(key) ?? 0) - (lost.get(key) ?? 0)])));

/**
 * Ends PostgreSQL on the primary. Patroni promotes a replica, and then repairs the primary. Returns the new primary.
 */
async function crash(): Promise<Member> {
  const at = Date.now();
  await primary.crash();
  const { member } = await stand.cluster.promotedAfter(at);
  primary.reconnectReplicas();
  return member;
}

const linesOfLoss = () =>
  pair
    .logs()
    .map((lines) =>
      lines
        .filter((line) => line.includes('database lost changes'))
        .map((line) => JSON.parse(line) as { keys: unknown }),
    );

it('the cost of each value of synchronous_commit', async () => {
  const { statuses, latencies } = await measureCommits(stand.cluster, pair);
  expect(statuses).toEqual(new Set([200, 201]));
  console.log(['synchronous_commit with a synchronous standby, in ms:', ...latencies].join('\n'));
});

it('synchronous replication acknowledges no change that the replica lacks, and loses no call', async () => {
  const [caller, owner] = pair.keys as [string, string];
  const page = await createKey(owner);
  await calls(0, caller, 10);
  await expectLedger();

  primary.cutOffReplicas();
  await calls(0, caller, 7);
  const changes = await Promise.all([
    pair.request(0, 'DELETE', `/v1/user/keys/${page.id}`, owner),
    pair.request(0, 'POST', '/v1/user/keys?label=other', owner),
    pair.register(0),
  ]);
  for (const { status, body } of changes) expect([status, body.code]).toEqual([503, 'database_unavailable']);

  await crash();
  await bothRespond(page.apiKey, 200);
  await expectLedger();
  expect(linesOfLoss()).toEqual([[], []]);
});

it('asynchronous replication loses exactly what the replica lacks, and the service detects it', async () => {
  await stand.cluster.setSynchronous(false);
  primary = await stand.cluster.whole();
  const [, , leased, resting, owner] = pair.keys as [string, string, string, string, string];
  const numbers = await Promise.all(
    [leased, resting, owner].map(async (key) => (await pair.request(0, 'GET', '/v1/user/data', key)).body.key),
  );
  const page = await createKey(owner);
  await calls(0, page.apiKey, 1);
  await calls(0, leased, 10);
  await expectLedger();
  await stand.cluster.whole();
  primary.cutOffReplicas();
  const [replica] = stand.cluster.members.filter((member) => member !== primary) as [Member];
  const cut = await contentsOf(replica.url(DATABASE));
  const chargedAtCut = new Map(charged);

  // The replica has the first key's lease, but not the second one's.
  await calls(0, leased, 7);
  await calls(0, resting, 37);
  await calls(1, page.apiKey, 1);
  expect((await pair.request(0, 'DELETE', `/v1/user/keys/${page.id}`, owner)).status).toBe(204);
  const late = [];
  for (let n = 0; n < LATE_USERS; n++) late.push((await pair.register(0)).body);
  const newest = late.at(-1) as (typeof late)[0];
  await calls(0, newest.apiKey, 5);
  await bothRespond(page.apiKey, 401);
  await expectLedger();
  await expect.poll(async () => (await contentsOf(primary.url(DATABASE))).calls[newest.key]).toBe(5);

  // Without the service, because it would report the calls again.
  pair.signal('SIGSTOP');
  const before = await contentsOf(primary.url(DATABASE));
  const promoted = await crash();
  const after = await contentsOf(promoted.url(DATABASE));
  pair.signal('SIGCONT');

  expect(after).toEqual(cut);
  const lost = lostOf(before, after);
  console.log(`lost with asynchronous replication: ${JSON.stringify(lost)}`);
  const since = (key: string) => (charged.get(key) ?? 0) - (chargedAtCut.get(key) ?? 0);
  expect(lost).toEqual({
    users: late.map(({ key }) => key),
    keys: expect.arrayContaining([expect.any(Number)]),
    revocations: [page.id],
    calls: {
      [numbers[0] as number]: 7,
      [numbers[1] as number]: 37,
      [numbers[2] as number]: since(owner),
      [newest.key]: 5,
    },
  });
  expect(lost.keys).toHaveLength(LATE_USERS);
  const lostCalls = new Map([resting, owner].map((key) => [key, since(key)]));

  // The revoked key is valid again, and both processes name it.
  await bothRespond(page.apiKey, 200);
  await bothRespond(newest.apiKey, 401);
  const named = [expect.objectContaining({ keys: [{ user: numbers[2], id: page.id }] })];
  expect(linesOfLoss()).toEqual([named, named]);
  // A new user gets the record number of a lost user, whose key reads nothing.
  const { key: reused } = (await pair.register(1)).body;
  const lostKey = late.find(({ key }) => key === reused)?.apiKey;
  expect(lostKey).toBeDefined();
  for (const process of [0, 1])
    expect((await pair.request(process, 'GET', '/v1/user/data', lostKey)).body.code).toBe('api_key_invalid');
  expect((await pair.request(0, 'DELETE', `/v1/user/keys/${page.id}`, owner)).status).toBe(204);
  await bothRespond(page.apiKey, 401);
  await expectLedger(lostCalls);
});
