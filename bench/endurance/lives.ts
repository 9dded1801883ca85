import { setTimeout as wait } from 'node:timers/promises';
import type { UserRecord } from '#accounts/records';
import type { Asking, Heard } from './asking.ts';
import type { Book } from './book.ts';
import type { Fleet, Member } from './fleet.ts';
import type { Question } from './questions.ts';

const EVERY_MS = 4_000;
/** By then a key that was erased is dead in every process. */
const DEAD_AFTER = 6_000;

const LATEST = '/v1/prices/latest/token?tokenName=solana';

type Parts = { asking: Asking; book: Book; fleet: Fleet; random: () => number };

/**
 * Every few seconds somebody registers, asks, changes the key, renews and leaves, each time at any of the processes;
 * `close` waits for the lives that are under way.
 */
export function startLives({ asking, book, fleet, random }: Parts) {
  const lives = new Set<Promise<void>>();
  let born = 0;
  let lived = 0;
  const anyone = () => fleet.members[Math.floor(random() * fleet.members.length)] as Member;
  const question = (method: Question['method'], path: string, expects: readonly number[]): Question => ({
    ...{ method, path, expects },
  });
  const priced: Question = {
    ...question('GET', LATEST, [200]),
    isPriced: true,
    upstream: 'untilAnswered',
  };
  const recordOf = (heard: Heard | undefined, status: number) =>
    heard?.status === status ? (JSON.parse(heard.body) as UserRecord) : undefined;

  /** A life ends early where something on the way could not be had. */
  async function live(name: string, plan: string): Promise<void> {
    const query = new URLSearchParams({ name, email: 'life@example.org', plan });
    const create = { ...question('POST', `/v1/user/create?${query}`, [201]), isOpen: true };
    const record = recordOf(await asking.ask(anyone(), create), 201);
    if (!record) return;
    const user = book.enter(record);
    for (let i = 0; i < 3; i++) await asking.ask(anyone(), priced, user);

    const rotate = question('POST', '/v1/user/rotate?graceSeconds=0', [200]);
    const rotated = recordOf(await asking.ask(anyone(), rotate, user), 200);
    if (!rotated) return;
    user.apiKey = rotated.apiKey;
    for (let i = 0; i < 3; i++) await asking.ask(anyone(), priced, user);

    const renewed = await asking.ask(anyone(), question('POST', '/v1/user/renew', [200]), user);
    if (renewed?.status !== 200) return;
    await asking.ask(anyone(), question('POST', '/v1/user/renew', [409]), user);
    const erased = await asking.ask(anyone(), question('DELETE', '/v1/user', [204]), user);
    if (erased?.status !== 204) return;
    await wait(DEAD_AFTER);
    for (const member of fleet.members) {
      await asking.ask(member, question('GET', '/v1/user/usage', [401]), user);
    }
    lived += 1;
  }

  const bearing = setInterval(() => {
    born += 1;
    const life = live(`Life ${born}`, born % 2 === 0 ? 'yearly' : 'monthly').finally(() => lives.delete(life));
    lives.add(life);
  }, EVERY_MS);

  return {
    counts: () => ({ born, lived }),
    async close(): Promise<void> {
      clearInterval(bearing);
      await Promise.all(lives);
    },
  };
}
