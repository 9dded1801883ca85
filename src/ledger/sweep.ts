import type { Ledger } from './ledger-state.ts';
import { answerTo } from './membership.ts';

/** Returns the unspent calls of expired processes to one user, or to some users. The result is the number of leases. */
export async function sweep(ledger: Ledger, userKey?: number): Promise<number> {
  const { store } = ledger;
  const found = await answerTo(ledger, store.sweep(userKey));
  const ofUsers = [...new Map(found.map((lease) => [lease.userKey, lease])).values()];
  const shards = await answerTo(ledger, store.shardsOf(ofUsers.map(({ userKey }) => userKey)));
  for (const piece of Map.groupBy(ofUsers, (_, i) => shards[i]).values()) {
    const old = piece.filter(({ isOld }) => isOld);
    const dead = piece.filter(({ isOld }) => !isOld).map((lease) => ({ ...lease, want: 0, need: 0 }));
    if (dead.length > 0) await answerTo(ledger, store.grant(dead));
    if (old.length > 0) await answerTo(ledger, store.close(old));
  }
  return found.length;
}
