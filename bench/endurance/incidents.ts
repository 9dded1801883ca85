import { setTimeout as wait } from 'node:timers/promises';
import type { Fleet, Member } from './fleet.ts';
import type { Journal } from './journal.ts';
import type { Ledger } from './ledger.ts';
import type { Stand } from './stand.ts';

const PROCESS_DOWN_MS = 2_000;
const DATABASE_DOWN_MS = 8_000;

type Parts = { fleet: Fleet; stand: Stand; ledger: Ledger; journal: Journal; signal: AbortSignal };

/**
 * Waits for `ms` milliseconds. Meanwhile, kills the third process, stops the database as in a crash, and kills the
 * second process. Ends early if `signal` aborts.
 */
export async function runWithIncidents(ms: number, { fleet, stand, ledger, journal, signal }: Parts) {
  const startedAt = performance.now();
  const until = (share: number) => wait(Math.max(0, startedAt + share * ms - performance.now()), undefined, { signal });

  async function crash(member: Member): Promise<void> {
    await fleet.kill(member);
    const killedAt = member.killedAt ?? performance.now();
    // The wait lets the client count responses that were in transit when the process was killed.
    await wait(PROCESS_DOWN_MS);
    journal.report(`${ledger.recordKill(member, killedAt)} counted calls of ${member.name} may be lost`);
    await fleet.restart(member);
  }

  async function restartDatabase(): Promise<void> {
    const { server, outages } = stand;
    if (!server) return journal.report('database restart skipped: the server was not started by this run');
    outages.start();
    await server.stop('immediate');
    journal.report('database stopped');
    await wait(DATABASE_DOWN_MS);
    await server.start();
    outages.end();
    journal.report('database restarted');
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
    journal.report('interrupted: checking the results so far');
  }
}
