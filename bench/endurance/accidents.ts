import { setTimeout as wait } from 'node:timers/promises';
import type { Book } from './book.ts';
import type { Fleet, Member } from './fleet.ts';
import type { Home } from './home.ts';
import type { Journal } from './journal.ts';

const PROCESS_AWAY_MS = 2_000;
const DATABASE_AWAY_MS = 8_000;

type Parts = { fleet: Fleet; home: Home; book: Book; journal: Journal; signal: AbortSignal };

/**
 * So many ms in which the third process is killed, the database is stopped as by a crash, and the second process is
 * killed. Ends early when the signal says so.
 */
export async function passWithAccidents(ms: number, { fleet, home, book, journal, signal }: Parts) {
  const startedAt = performance.now();
  const until = (share: number) => wait(Math.max(0, startedAt + share * ms - performance.now()), undefined, { signal });

  async function crash(member: Member): Promise<void> {
    await fleet.kill(member);
    const killedAt = member.killedAt ?? performance.now();
    // Answers that were on their way when it was killed are counted first.
    await wait(PROCESS_AWAY_MS);
    journal.tell(`${book.killed(member, killedAt)} counted calls of ${member.name} are at risk`);
    await fleet.revive(member);
  }

  async function restartDatabase(): Promise<void> {
    const { server, outages } = home;
    if (!server) return journal.tell('the database is not restarted: it is not a server of this run');
    outages.began();
    await server.stop('immediate');
    journal.tell('the database was stopped');
    await wait(DATABASE_AWAY_MS);
    await server.start();
    outages.ended();
    journal.tell('the database is there again');
  }

  const [, second, third] = fleet.members as [Member, Member, Member];
  try {
    await until(0.3);
    await crash(third);
    await until(0.5);
    await restartDatabase();
    await until(0.7);
    await crash(second);
    await until(1);
  } catch (error) {
    if (!signal.aborted) throw error;
    journal.tell('interrupted: what there is so far is judged');
  }
}
