import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../../support/database/database.ts';
import { openLedgerUser } from '../ledger-user.ts';

const START = Date.UTC(2026, 4, 10, 12);
const ROUNDS = 20;
const AT_ONCE = 8;

it("opens a period once if many calls arrive at the same time, and the grants equal the ledger's count", async () => {
  const database = await openTestDatabase();
  onTestFinished(() => database.close());
  let again = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { ledger, key, report } = await openLedgerUser(database, START);
    const granted = await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        const lease = randomUUID();
        for (let seq = 1; ; seq++) {
          const [state] = await ledger.settle([report(lease, { want: 50, seq })]);
          if (state) return state.granted;
          again += 1;
        }
      }),
    );
    const sum = granted.reduce((all, one) => all + one, 0);
    const usage = await database.prisma.usage.findFirstOrThrow({ where: { userKey: key } });
    expect(usage).toMatchObject({ used: 0, outstanding: sum });
    expect(sum).toBeLessThanOrEqual(100);
    const { _sum } = await database.prisma.lease.aggregate({
      where: { userKey: key },
      _sum: { granted: true },
    });
    expect(_sum.granted).toBe(sum);
  }
  expect(again, 'the statement was made').toBeGreaterThan(0);
});
