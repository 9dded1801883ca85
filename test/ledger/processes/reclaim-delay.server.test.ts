import { expect, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../support/database/database.ts';
import { age, usageRows } from '../allowance-harness.ts';
import { openLedgerUser } from '../ledger-user.ts';

const START = Date.UTC(2026, 4, 10, 12);

/** A user with a lease of ten calls, two of them reported, in a process that expired. */
async function openExpired() {
  const database = await openTestDatabase();
  onTestFinished(() => database.close());
  const user = await openLedgerUser(database, START);
  const process = await user.startProcess();
  const other = await user.startProcess();
  await user.grant(process, { want: 10, need: 1 });
  await user.report(process, 2);
  await age(database, user.key, 31);
  const isWaiting = () => database.prisma.$queryRaw<unknown[]>`
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return { ...user, database, process, other, isWaiting, rows: () => usageRows(database, user.key) };
}

it('a call of another process does not wait for a report of the expired process', async () => {
  const { database, grant, process, other, rows } = await openExpired();
  await database.prisma.$transaction(async (holder) => {
    await holder.$executeRaw`UPDATE lease SET spent = 4, report = 9 WHERE process = ${process}::uuid`;
    expect(await grant(other, { want: 5, need: 1 })).toMatchObject({ granted: 5, left: 85 });
  });
  expect(await rows()).toMatchObject([{ used: 4, outstanding: 11 }]);
});

it('calls that are reported while others return the unspent ones count, and are not returned', async () => {
  const { database, sweep, grant, process, other, rows, isWaiting } = await openExpired();
  let sweeping: Promise<void> | undefined;
  await database.prisma.$transaction(async (holder) => {
    await holder.$executeRaw`UPDATE lease SET spent = 4, report = 9 WHERE process = ${process}::uuid`;
    sweeping = sweep();
    await expect.poll(isWaiting).toHaveLength(1);
  });
  await sweeping;
  expect(await rows()).toMatchObject([{ used: 4, outstanding: 0 }]);
  expect(await grant(other, { want: 5, need: 1 })).toMatchObject({ granted: 5, left: 91 });
});

it('a process that announces itself while it is swept learns that it has to take a new ID', async () => {
  const { database, ledger, process, report, close, rows, isWaiting } = await openExpired();
  let late: Promise<boolean> | undefined;
  await database.prisma.$transaction(async (other) => {
    await other.$executeRaw`UPDATE process SET swept_at = clock_timestamp() WHERE id = ${process}::uuid`;
    late = ledger.live(process, undefined);
    await expect.poll(isWaiting).toHaveLength(1);
  });
  expect(await late).toBe(false);
  await report(process, 4);
  await close(process);
  expect(await rows()).toMatchObject([{ used: 4, outstanding: 0 }]);
});
