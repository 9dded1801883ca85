import type { Ledger } from './ledger-state.ts';
import { answerTo } from './membership.ts';

/** Users per statement, which takes 60 µs for each. In a cluster, a statement can contain only one. */
export const usersAtOnce = ({ isDistributed }: Ledger): number => (isDistributed ? 1 : 500);

export const inPieces = <One>(all: readonly One[], size: number): One[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));

/** Returns the unspent calls of expired processes to one user, or to some users. The result is the number of leases. */
export async function sweep(ledger: Ledger, userKey?: number): Promise<number> {
  const { store } = ledger;
  const found = await answerTo(ledger, store.sweep(userKey));
  const ofUsers = [...new Map(found.map((lease) => [lease.userKey, lease])).values()];
  for (const piece of inPieces(ofUsers, usersAtOnce(ledger))) {
    const old = piece.filter(({ isOld }) => isOld);
    const dead = piece.filter(({ isOld }) => !isOld).map((lease) => ({ ...lease, want: 0, need: 0 }));
    if (dead.length > 0) await answerTo(ledger, store.grant(dead));
    if (old.length > 0) await answerTo(ledger, store.close(old));
  }
  return found.length;
}
