import { setTimeout as wait } from 'node:timers/promises';
import type { UserRecord } from '#users/users-records';
import type { Fleet, Member } from './fleet.ts';
import type { Ledger } from './ledger.ts';
import type { Query } from './queries.ts';
import type { Received, Requests } from './requests.ts';

const EVERY_MS = 4_000;
/** The time within which every process rejects an erased user's key, in ms. */
const REVOKED_AFTER = 6_000;

const LATEST = '/v1/prices/latest/token?tokenName=solana';

type Parts = { requests: Requests; ledger: Ledger; fleet: Fleet; random: () => number };

/**
 * Every few seconds, registers a user, makes calls, rotates the key, renews the plan and deletes the user, on random
 * processes.
 * `close` waits for pending life cycles.
 */
export function startUserLifeCycles({ requests, ledger, fleet, random }: Parts) {
  const cycles = new Set<Promise<void>>();
  let started = 0;
  let completed = 0;
  const anyMember = () => fleet.members[Math.floor(random() * fleet.members.length)] as Member;
  const queryOf = (method: Query['method'], path: string, expects: readonly number[]): Query => ({
    ...{ method, path, expects },
  });
  const priced: Query = {
    ...queryOf('GET', LATEST, [200]),
    isPriced: true,
    upstream: 'untilAnswered',
  };
  const recordOf = (response: Received | undefined, status: number) =>
    response?.status === status ? (JSON.parse(response.body) as UserRecord) : undefined;

  /** Runs one life cycle. Stops early if a step fails. */
  async function runCycle(name: string, plan: string): Promise<void> {
    const query = new URLSearchParams({ name, email: 'user@example.org', plan });
    const create = { ...queryOf('POST', `/v1/user/create?${query}`, [201]), isOpen: true };
    const record = recordOf(await requests.send(anyMember(), create), 201);
    if (!record) return;
    const user = ledger.addUser(record);
    for (let i = 0; i < 3; i++) await requests.send(anyMember(), priced, user);

    const rotate = queryOf('POST', '/v1/user/rotate?graceSeconds=0', [200]);
    const rotated = recordOf(await requests.send(anyMember(), rotate, user), 200);
    if (!rotated) return;
    user.apiKey = rotated.apiKey;
    for (let i = 0; i < 3; i++) await requests.send(anyMember(), priced, user);

    const renewed = await requests.send(anyMember(), queryOf('POST', '/v1/user/renew', [200]), user);
    if (renewed?.status !== 200) return;
    await requests.send(anyMember(), queryOf('POST', '/v1/user/renew', [409]), user);
    const erased = await requests.send(anyMember(), queryOf('DELETE', '/v1/user', [204]), user);
    if (erased?.status !== 204) return;
    await wait(REVOKED_AFTER);
    for (const member of fleet.members) {
      await requests.send(member, queryOf('GET', '/v1/user/usage', [401]), user);
    }
    completed += 1;
  }

  const starting = setInterval(() => {
    started += 1;
    const cycle = runCycle(`User ${started}`, started % 2 === 0 ? 'yearly' : 'monthly').finally(() =>
      cycles.delete(cycle),
    );
    cycles.add(cycle);
  }, EVERY_MS);

  return {
    counts: () => ({ started, completed }),
    async close(): Promise<void> {
      clearInterval(starting);
      await Promise.all(cycles);
    },
  };
}
