import type { Sandbox } from '#sandbox/server';
import { base64, keyOf, signedTxRaw } from '../../fixtures/signing.ts';
import type { Fleet, Member } from './fleet.ts';
import type { Journal } from './journal.ts';
import type { User } from './ledger.ts';
import type { Requests } from './requests.ts';

/** The interval between broadcasts, which is longer than the six seconds between two blocks. */
const EVERY_MS = 7_000;

type AccountResponse = { result: { value: { account_number: string; sequence: string } } };
type Parts = {
  requests: Requests;
  sandbox: Sandbox;
  fleet: Fleet;
  user: User;
  random: () => number;
  journal: Journal;
};

/** Broadcasts a signed transaction every few seconds. `hashes` contains the transactions that a node accepted. */
export function startBroadcasts({ requests, sandbox, fleet, user, random, journal }: Parts) {
  const { chain } = sandbox;
  const [from = '', to = ''] = chain.accounts.map(({ address }) => address);
  // Contains the hash of an unknown transaction, so that queries have a hash from the start.
  const hashes = ['0'.repeat(64)];
  let running: Promise<void> = Promise.resolve();

  async function broadcast(): Promise<void> {
    const account = (await (await fetch(`${sandbox.legacyNodeUrl}/auth/accounts/${from}`)).json()) as AccountResponse;
    const { account_number, sequence } = account.result.value;
    const order = { to, accountNumber: Number(account_number), sequence: Number(sequence) };
    const bytes = await signedTxRaw(keyOf(sandbox), order);
    const member = fleet.members[Math.floor(random() * fleet.members.length)] as Member;
    const response = await requests.send(
      member,
      {
        method: 'POST',
        path: '/v1/node/txs',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ tx_bytes: base64(bytes), mode: 'sync' }),
        // If only the legacy node is available, it rejects the format.
        expects: [200, 422],
        upstream: 'always',
      },
      user,
    );
    if (response?.status !== 200) return;
    const { txhash, code } = JSON.parse(response.body) as { txhash: string; code?: number };
    if (!code) hashes.push(txhash);
  }

  const sending = setInterval(() => {
    running = running.then(broadcast).catch((error) => journal.report(`broadcast failed: ${String(error)}`));
  }, EVERY_MS);

  return {
    hashes: hashes as readonly string[],
    async close(): Promise<void> {
      clearInterval(sending);
      await running;
    },
  };
}
