import type { Sandbox } from '#sandbox/server';
import { base64, keyOf, signedTxRaw } from '../../fixtures/signing.ts';
import type { Asking } from './asking.ts';
import type { User } from './book.ts';
import type { Fleet, Member } from './fleet.ts';
import type { Journal } from './journal.ts';

/** A block comes every six seconds. */
const EVERY_MS = 7_000;

type QuotaState = { result: { value: { account_number: string; sequence: string } } };
type Parts = {
  asking: Asking;
  sandbox: Sandbox;
  fleet: Fleet;
  user: User;
  random: () => number;
  journal: Journal;
};

/** Every few seconds a signed transaction goes out; `hashes` are those of which a node said that it has them. */
export function startBroadcasts({ asking, sandbox, fleet, user, random, journal }: Parts) {
  const { chain } = sandbox;
  const [from = '', to = ''] = chain.accounts.map(({ address }) => address);
  // One that nobody has, so that there is something to ask for from the start.
  const hashes = ['0'.repeat(64)];
  let running: Promise<void> = Promise.resolve();

  async function broadcast(): Promise<void> {
    const account = (await (await fetch(`${sandbox.legacyNodeUrl}/auth/accounts/${from}`)).json()) as QuotaState;
    const { account_number, sequence } = account.result.value;
    const order = { to, accountNumber: Number(account_number), sequence: Number(sequence) };
    const bytes = await signedTxRaw(keyOf(sandbox), order);
    const member = fleet.members[Math.floor(random() * fleet.members.length)] as Member;
    const heard = await asking.ask(
      member,
      {
        method: 'POST',
        path: '/v1/node/txs',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ tx_bytes: base64(bytes), mode: 'sync' }),
        // A legacy node takes no bytes: it says so where it is the one that is up.
        expects: [200, 422],
        upstream: 'always',
      },
      user,
    );
    if (heard?.status !== 200) return;
    const { txhash, code } = JSON.parse(heard.body) as { txhash: string; code?: number };
    if (!code) hashes.push(txhash);
  }

  const sending = setInterval(() => {
    running = running.then(broadcast).catch((error) => journal.tell(`nothing could be broadcast: ${String(error)}`));
  }, EVERY_MS);

  return {
    hashes: hashes as readonly string[],
    async close(): Promise<void> {
      clearInterval(sending);
      await running;
    },
  };
}
