import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY, HOUR, iso, MINUTE } from '#core/clock';
import { Problem } from '#core/problems';
import { deleteExpired } from '#database/retention';
import { hashApiKey, MAX_KEYS_PER_USER } from '#keys/api-key';
import { byOperator, byService } from '#users/authority';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { amount } from '../../support/long.ts';
import { OPERATOR } from '../../support/operator.ts';
import { PRICED } from '../../support/service/hammer.ts';
import { type Service, startService } from '../../support/service/service.ts';
import { handClock } from '../allowance-harness.ts';

/*
 * Makes random pairs of concurrent changes on two processes, and checks these rules. A key never exceeds its scopes. A
 * user has an owner key until the user is erased or the operator revokes the keys. The number of active keys is
 * bounded. Once both processes have polled, both treat every key as its row states.
 */

const clock = handClock(Date.UTC(2026, 0, 31, 12));
let database: TestDatabase;
let processes: Service[];
beforeAll(async () => {
  database = await openTestDatabase();
  const settings = { BURST_PER_SECOND: '0', REGISTRATIONS_PER_MINUTE: '0' };
  processes = [await startService({ clock, database, settings }), await startService({ clock, database, settings })];
});
afterAll(async () => {
  for (const one of processes ?? []) await one.close();
  await database?.close();
});

/** The keys that a user has received, with their scopes. */
type Given = { user: number; keys: { text: string; scopes: readonly string[] }[] };
const OWNER = ['account', 'prices', 'node'];

async function send(n: number, method: string, path: string, key: string) {
  const response = await fetch(`${processes[n]?.url}${path}`, { method, headers: { 'x-api-key': key } });
  const text = await response.text();
  const body = (text === '' ? {} : JSON.parse(text)) as { code?: string; apiKey?: string; scopes?: string[] };
  return { status: response.status, ...body };
}

const WANTED: [method: string, path: string, scope: string | undefined][] = [
  ['GET', PRICED, 'prices'],
  ['GET', '/v1/node/node_info', 'node'],
  ['GET', '/v1/user/keys', 'account'],
  ['GET', '/v1/user/usage', undefined],
];

const KINDS = ['create', 'fill', 'delete', 'rotate', 'recover', 'renew', 'revoke', 'erase', 'expire', 'lapse'] as const;
type Act = { kind: (typeof KINDS)[number]; who: number; which: number; grace: number };
const act: fc.Arbitrary<Act> = fc.record({
  // These are rare, because no other change has an effect after a revocation by the operator, an erasure or a lapse.
  kind: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...KINDS.slice(0, 6)) },
    { weight: 1, arbitrary: fc.constantFrom(...KINDS.slice(6)) },
  ),
  who: fc.nat(1),
  which: fc.nat(40),
  grace: fc.constantFrom(0, 1, 3600),
});

/** Recovers the owner key with a one-time code. Returns undefined for a user without an active owner key. */
async function recover({ parts }: Service, userKey: number) {
  const hash = randomBytes(32).toString('hex');
  await database.prisma.oneTimeCode.create({
    data: { hash: Buffer.from(hash, 'hex'), userKey, expiresAt: new Date(clock.now() + HOUR) },
  });
  const ended = new Problem('token_invalid', '');
  return parts.keys
    .recover(
      byService(userKey, () => ended),
      hash,
    )
    .catch((error: unknown) => {
      if (error !== ended) throw error;
    });
}

/** Makes one change on one process, with a key of the user or as the operator. */
async function perform(n: number, { kind, who, which, grace }: Act, users: Given[]): Promise<void> {
  const user = users[who] as Given;
  const service = processes[n] as Service;
  const key = user.keys[user.keys.length - 1 - (which % user.keys.length)] as Given['keys'][number];
  const isOwner = key.scopes.includes('account');
  const scopes = ['prices', 'node', 'prices,node'][which % 3] as string;
  const learn = ({ status, apiKey, code }: Awaited<ReturnType<typeof send>>, given: readonly string[]) => {
    if (status >= 300) return void expect(code).toMatch(/^(api_key_|too_many_keys|renew_too_early|scope_missing)/);
    expect(isOwner, `${kind} by a restricted key`).toBe(true);
    if (apiKey && !user.keys.some(({ text }) => text === apiKey)) user.keys.push({ text: apiKey, scopes: given });
  };
  const create = async () => {
    const until = which % 4 === 0 ? `&expiresAt=${iso(clock.now() + HOUR)}` : '';
    const response = await send(n, 'POST', `/v1/user/keys?label=x&scopes=${scopes}${until}`, key.text);
    learn(response, scopes.split(','));
  };
  if (kind === 'create') await create();
  if (kind === 'fill') await Promise.all(Array.from({ length: 12 }, create));
  if (kind === 'rotate') learn(await send(n, 'POST', `/v1/user/rotate?graceSeconds=${grace}`, key.text), OWNER);
  if (kind === 'renew') learn(await send(n, 'POST', '/v1/user/renew', key.text), OWNER);
  if (kind === 'recover') {
    const record = await recover(service, user.user);
    if (record) user.keys.push({ text: record.apiKey, scopes: OWNER });
  }
  if (kind === 'delete') {
    const rows = await database.prisma.apiKey.findMany({ where: { userKey: user.user } });
    const { status } = await send(n, 'DELETE', `/v1/user/keys/${rows[which % rows.length]?.id}`, key.text);
    if (status === 204) expect(isOwner).toBe(true);
  }
  if (kind === 'revoke') await service.parts.keys.revokeAll(byOperator(user.user, OPERATOR));
  if (kind === 'erase' && isOwner) await send(n, 'DELETE', '/v1/user', key.text);
}

const poll = async () => {
  await deleteExpired(database.prisma, clock.now());
  for (const { parts } of processes) await parts.allowance.poll();
};

/** Advances the clock for these steps, and makes the processes poll. Without a poll, they trust no cached key. */
async function pass(acts: readonly Act[]): Promise<void> {
  const kinds = acts.map(({ kind }) => kind);
  if (kinds.includes('expire')) clock.pass(HOUR);
  if (kinds.includes('lapse')) clock.pass(32 * DAY);
  await poll();
}

async function checkRows({ user }: Given, mayBeEnded: boolean): Promise<void> {
  const rows = await database.prisma.apiKey.findMany({ where: { userKey: user } });
  const live = rows.filter(
    ({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt?.getTime() ?? Infinity) > clock.now(),
  );
  expect(live.length).toBeLessThanOrEqual(MAX_KEYS_PER_USER);
  const owners = live.filter(({ scopes, replacedAt }) => scopes.includes('account') && replacedAt === null);
  if (!mayBeEnded) expect(owners).toHaveLength(1);
}

/** The state of a key in both processes after a poll, which must equal its row. */
async function checkKey({ text, scopes }: Given['keys'][number]): Promise<void> {
  const row = await database.prisma.apiKey.findUnique({
    where: { hash: Buffer.from(hashApiKey(text), 'hex') },
    include: { user: true },
  });
  const isLive = row !== null && row.revokedAt === null && (row.expiresAt?.getTime() ?? Infinity) > clock.now();
  for (const n of [0, 1]) {
    for (const [method, path, scope] of WANTED) {
      const { status } = await send(n, method, path, text);
      const isLapsed = row !== null && row.user.validUntil.getTime() <= clock.now() && path !== '/v1/user/keys';
      const expected = !isLive || isLapsed ? 401 : scope && !scopes.includes(scope) ? 403 : undefined;
      const received = expected ?? (scope === 'node' ? 503 : 200);
      expect([n, path, scopes.join(), status]).toEqual([n, path, scopes.join(), received]);
    }
  }
}

it('no sequence of changes on two processes breaks the rules for keys', async () => {
  const rounds = fc.array(fc.tuple(act, act, fc.nat(40)), { minLength: 6, maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(rounds, async (sequence) => {
      const users: Given[] = [];
      for (const one of [0, 1]) {
        const apiKey = await (processes[one] as Service).register();
        const { user } = await (processes[one] as Service).parts.allowance.holderOf(apiKey);
        users.push({ user: user.key, keys: [{ text: apiKey, scopes: OWNER }] });
      }
      const ended = [false, false];
      for (const [one, other, sampled] of sequence) {
        for (const { kind, who } of [one, other]) ended[who] ||= kind === 'revoke' || kind === 'erase';
        await pass([one, other]);
        await Promise.all([perform(0, one, users), perform(1, other, users)]);
        clock.pass(MINUTE / 60);
        for (const [n, user] of users.entries()) await checkRows(user, ended[n] as boolean);
        // Even before the processes have polled, no key exceeds its scopes.
        for (const { keys } of users) {
          const { text, scopes } = keys[sampled % keys.length] as Given['keys'][number];
          for (const n of [0, 1])
            for (const [method, path, scope] of WANTED)
              if (scope && !scopes.includes(scope)) expect((await send(n, method, path, text)).status).not.toBe(200);
        }
        await poll();
        for (const { keys } of users) await checkKey(keys[sampled % keys.length] as Given['keys'][number]);
      }
      for (const { keys } of users) for (const key of keys.slice(-6)) await checkKey(key);
    }),
    { numRuns: amount(4, 100) },
  );
});
