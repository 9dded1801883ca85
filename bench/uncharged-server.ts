/** The service as it is, but for the charge: every call is paid for from a lease that has no end and no ledger. */

import type { Caller, Receipt } from '#accounts/gate/allowance';
import { type Lease, newLease } from '#accounts/ledger/lease';
import { buildApp } from '#app';
import { openDependencies, openLog } from '#open';
import { readSettings } from '#settings';

const settings = readSettings();
const parts = await openDependencies(settings, { logger: openLog('silent') });
let lease: Lease | undefined;
const receiptFor = ({ user }: Caller): Receipt => {
  lease ??= newLease('bench', user.key, user, user.limit, Date.now());
  return { lease, cost: 1, remaining: user.limit };
};
const allowance: typeof parts.allowance = {
  ...parts.allowance,
  spend: receiptFor,
  spendAtOnce: receiptFor,
};
const app = await buildApp({ ...parts, allowance });
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
process.on('SIGTERM', async () => {
  await app.close();
  await parts.close();
});
