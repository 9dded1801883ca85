import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../../support/database/database.ts';
import { age, usageRows } from '../allowance-harness.ts';
import { openLedgerUser } from '../ledger-user.ts';

const START = Date.UTC(2026, 4, 10, 12);

it('does not reclaim a lease that its holder is reporting with its group, and no call waits for the report', async () => {
  const database = await openTestDatabase();
  onTestFinished(() => database.close());
  const { ledger, key, report, place, group, heartbeat } = await openLedgerUser(database, START);
  const lease = randomUUID();
  await ledger.settle([report(lease, { want: 10, place: place(1) })]);
  await heartbeat(1, 2);
  await age(database, key, 31);
  const settleOther = () => ledger.settle([report(randomUUID(), { want: 5 })]);

  await database.prisma.$transaction(async (holder) => {
    await holder.$executeRaw`UPDATE lease_group SET spent = '{4}', seq = 2 WHERE id = ${group}::uuid`;
    expect(await settleOther()).toMatchObject([{ granted: 5, left: 85 }]);
  });
  expect(await database.prisma.lease.findMany({ where: { id: lease } })).toMatchObject([{ closed: false }]);
  expect(await settleOther(), 'the report is over, and the group has expired').toMatchObject([{ left: 86 }]);
  expect(await usageRows(database, key)).toMatchObject([{ used: 4, outstanding: 10 }]);
});

it('a report that waits while its lease is reclaimed learns that its group is closed', async () => {
  const database = await openTestDatabase();
  onTestFinished(() => database.close());
  const { ledger, key, report, place, group, heartbeat } = await openLedgerUser(database, START);
  const lease = randomUUID();
  await ledger.settle([report(lease, { want: 10, place: place(1) })]);
  await heartbeat(1, 2);
  await age(database, key, 31);

  let late: Promise<boolean> | undefined;
  await database.prisma.$transaction(async (other) => {
    await other.$executeRaw`SELECT 1 FROM lease_group WHERE id = ${group}::uuid FOR UPDATE`;
    late = heartbeat(2, 4);
    const isWaiting = () => database.prisma.$queryRaw<unknown[]>`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await expect.poll(isWaiting).toHaveLength(1);
    await other.$executeRaw`UPDATE lease_group SET closed = true WHERE id = ${group}::uuid`;
  });
  expect(await late).toBe(false);
  await ledger.settle([report(randomUUID(), { want: 5 })]);
  expect(await usageRows(database, key)).toMatchObject([{ used: 2, outstanding: 5 }]);
  await ledger.settle([report(lease, { spent: 4, settled: 2, seq: 2 })]);
  expect(await usageRows(database, key)).toMatchObject([{ used: 4, outstanding: 5 }]);
});

it('does not reclaim a lease that its holder is reporting, and no call waits for the report', async () => {
  const database = await openTestDatabase();
  onTestFinished(() => database.close());
  const { ledger, key, report } = await openLedgerUser(database, START);
  const lease = randomUUID();
  await ledger.settle([report(lease, { want: 10 })]);
  await age(database, key, 31);

  await database.prisma.$transaction(async (holder) => {
    await holder.$executeRaw`UPDATE lease SET spent = 4, unbooked = 4 WHERE id = ${lease}::uuid`;
    const [state] = await ledger.settle([report(randomUUID(), { want: 5 })]);
    expect(state).toMatchObject({ granted: 5, left: 85 });
  });
  const [row] = await database.prisma.lease.findMany({ where: { id: lease } });
  expect(row).toMatchObject({ closed: false, unbooked: 4 });
});
