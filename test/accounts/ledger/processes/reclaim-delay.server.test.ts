import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../../support/database/database.ts';
import { age } from '../allowance-harness.ts';
import { openLedgerUser } from '../ledger-user.ts';

const START = Date.UTC(2026, 4, 10, 12);

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
