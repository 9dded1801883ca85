/** The service as it is, but for the charge: every call is paid for from a lease that has no end and no ledger. */
import { buildApp } from '../src/app.ts';
import { type Lease, newLease } from '../src/domain/lease.ts';
import { openLog, openParts } from '../src/parts.ts';
import type { Caller, Receipt } from '../src/services/allowance.ts';
import { readSettings } from '../src/settings.ts';

const settings = readSettings();
const parts = await openParts(settings, { logger: openLog('silent') });
let lease: Lease | undefined;
const receiptFor = ({ user }: Caller): Receipt => {
  lease ??= newLease('bench', user.key, user, user.limit, Date.now());
  return { lease, remaining: user.limit };
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
