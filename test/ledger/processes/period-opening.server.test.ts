import { expect, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../support/database/database.ts';
import { usageRows } from '../allowance-harness.ts';
import { openLedgerUser } from '../ledger-user.ts';

const START = Date.UTC(2026, 4, 10, 12);
const ROUNDS = 20;
const AT_ONCE = 8;

it("opens a period once if many calls arrive at the same time, and the grants equal the ledger's count", async () => {
  const database = await openTestDatabase();
  onTestFinished(() => database.close());
  let again = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { key, ledger, request, startProcess } = await openLedgerUser(database, START);
    const processes = await Promise.all(Array.from({ length: AT_ONCE }, startProcess));
    const granted = await Promise.all(
      processes.map(async (process) => {
        const requests = [request(process, { want: 50, need: 1 })];
        for (;;) {
          const [state] = await ledger.grant(requests);
          if (state) return state.granted;
          await ledger.open(requests, 1);
          again += 1;
        }
      }),
    );
    const sum = granted.reduce((all, one) => all + one, 0);
    expect(await usageRows(database, key)).toMatchObject([{ used: 0, outstanding: sum }]);
    expect(sum).toBeLessThanOrEqual(100);
    const { _sum } = await database.prisma.lease.aggregate({
      where: { userKey: key },
      _sum: { granted: true },
    });
    expect(_sum.granted).toBe(sum);
  }
  expect(again, 'the statement was made').toBeGreaterThan(0);
});
