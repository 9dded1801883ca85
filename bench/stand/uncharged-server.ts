/** The service without charging. Every call uses an unlimited lease that is not in the ledger. */

import { buildApp } from '#app';
import { createGate } from '#gate/admission';
import type { KeyHolder } from '#keys/key-validity';
import { type Lease, newLease } from '#ledger/lease';
import type { Receipt } from '#ledger/leases';
import { openLog } from '#open';
import { startIdleGc } from '#process/memory';
import { readSettings } from '#settings';
import { openParts } from '../../fixtures/parts.ts';

const settings = readSettings();
const parts = await openParts(settings, { logger: openLog('silent') });
let lease: Lease | undefined;
const receiptFor = ({ id, user }: KeyHolder, path: number): Receipt => {
  lease ??= newLease('bench', user.key, user, { keyId: id, path, cost: 1 }, Date.now());
  return { lease, cost: 1, remaining: user.limit, isRefunded: false, detail: undefined, counter: undefined };
};
const allowance: typeof parts.accounts.allowance = {
  ...parts.accounts.allowance,
  spend: receiptFor,
  spendAtOnce: receiptFor,
};
const gate = { ...parts.accounts.gate, ...createGate(allowance, settings.burstPerSecond) };
const app = await buildApp({ ...parts, accounts: { allowance, gate } });
// While other servers are measured, this server is idle, and discards compiled code like the service.
const gc = startIdleGc();
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
process.on('SIGTERM', async () => {
  await app.close();
  await gc.close();
  await parts.close();
});
