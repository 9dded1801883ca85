import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { createLedgerStore, type LeaseReport } from '../../../src/stores/ledger.ts';
import { openTestDatabase } from '../../support/database.ts';
import { age, enrol, handClock, openTeller, serverHasRun } from './tellers.ts';

const START = Date.UTC(2026, 4, 10, 12);
const DATE = Date.UTC(2026, 4, 10);

it('a lease is not taken from a holder who is just telling of it, and nobody waits for them', async () => {
  const database = await openTestDatabase();
  onTestFinished(() => database.close());
  await serverHasRun(database);
  const ledger = createLedgerStore(database);
  const teller = openTeller(database, handClock(START));
  const { key: userKey } = await enrol(database, teller, { limit: 100, at: START });
  await teller.close();
  const report = (id: string, given: Partial<LeaseReport>): LeaseReport => ({
    ...{ id, userKey, periodStart: START, date: DATE, spent: 0, settled: 0, want: 0, seq: 1, close: false },
    ...given,
  });
  await ledger.open([{ userKey, periodStart: START }]);
  const lease = randomUUID();
  await ledger.settle([report(lease, { want: 10 })]);
  await age(database, userKey, 31);

  await database.prisma.$transaction(async (holder) => {
    await holder.$executeRaw`UPDATE lease SET spent = 4, unbooked = 4 WHERE id = ${lease}::uuid`;
    const [state] = await ledger.settle([report(randomUUID(), { want: 5 })]);
    expect(state).toMatchObject({ granted: 5, left: 85 });
  });
  const [row] = await database.prisma.lease.findMany({ where: { id: lease } });
  expect(row).toMatchObject({ closed: false, unbooked: 4 });
});
