import { instantOf } from '#core/clock';
import { grant } from './granting.ts';
import { move } from './lease.ts';
import type { Ledger, Quota } from './ledger-state.ts';
import { answerTo, isValid, refuseFailed, renew } from './membership.ts';
import { type CloseStep, nextStep } from './next-step.ts';

/** Users per statement, which takes 60 µs for each. */
export const USERS_AT_ONCE = 500;
/** The maximum number of concurrent statements for waiting calls, so that other statements have connections too. */
export const MAX_AT_ONCE = 6;

/** Closes leases, at most one of each user. */
async function close(ledger: Ledger, closings: readonly CloseStep[]): Promise<void> {
  if (closings.length === 0) return;
  for (const { lease } of closings) move(lease, 'closing');
  await answerTo(ledger, ledger.store.close(closings.map(({ lease }) => lease)));
  for (const { quota, lease } of closings) {
    move(lease, 'closed');
    quota.past = quota.past.filter((one) => one !== lease);
  }
}

/** Executes what the users need. */
async function serve(ledger: Ledger, users: readonly Quota[]): Promise<void> {
  if (users.some(({ waiting }) => waiting.length > 0)) refuseFailed(ledger);
  if (!isValid(ledger, instantOf(ledger.clock))) await renew(ledger);
  // A refused user asks again if calls were returned. This ends, because each of its other leases returns calls at most
  // once.
  for (let asking = users; asking.length > 0; ) {
    const steps = asking.flatMap((quota) => {
      const step = nextStep(ledger, quota);
      if (step?.kind !== 'close') quota.isRecalled = false;
      return step ?? [];
    });
    const closings = steps.filter((step) => step.kind === 'close');
    await close(ledger, closings);
    const granted = await grant(
      ledger,
      steps.filter((step) => step.kind === 'grant'),
    );
    asking = [...closings.map(({ quota }) => quota), ...granted];
  }
}

/** Reads the shards of users, and returns the users to the queue. */
async function locate(ledger: Ledger, users: readonly Quota[]): Promise<void> {
  const shards = await answerTo(ledger, ledger.store.shardsOf(users.map(({ userKey }) => userKey)));
  for (const [i, quota] of users.entries()) {
    quota.shard = shards[i];
    ledger.queue.add(quota);
  }
}

/** Marks users as busy while a statement runs that contains them. */
export async function holding(ledger: Ledger, users: readonly Quota[], work: () => Promise<void>): Promise<void> {
  for (const quota of users) quota.isBusy = true;
  try {
    await work();
  } finally {
    for (const quota of users) quota.isBusy = false;
    schedule(ledger);
  }
}

/**
 * Returns the promise of the user's next statement. Statements that run at the same time have no user in common. All
 * users of a shard that ask in one turn of the event loop share statements.
 */
export function ask(ledger: Ledger, quota: Quota): Promise<void> {
  if (!quota.asked) {
    quota.asked = Promise.withResolvers<void>();
    quota.asked.promise.catch(() => undefined);
    ledger.queue.add(quota);
    schedule(ledger);
  }
  return quota.asked.promise;
}

/** Returns leased calls. If the statement fails, the next tick repeats it, and reports the failure. */
export function recall(ledger: Ledger, quota: Quota): void {
  quota.isRecalled = true;
  void ask(ledger, quota);
}

function schedule(ledger: Ledger): void {
  const { queue } = ledger;
  if (ledger.isScheduled || queue.size === 0) return;
  ledger.isScheduled = true;
  setImmediate(() => {
    ledger.isScheduled = false;
    while (ledger.running < MAX_AT_ONCE) {
      const free = () => queue.values().filter(({ isBusy }) => !isBusy);
      const first = free().next().value;
      if (!first) return;
      const ofShard = free().filter(({ shard }) => shard === first.shard);
      const users = [...ofShard.take(USERS_AT_ONCE)];
      for (const quota of users) queue.delete(quota);
      void serveHeld(ledger, users);
    }
  });
}

async function serveHeld(ledger: Ledger, users: readonly Quota[]): Promise<void> {
  ledger.running += 1;
  const served = holding(ledger, users, () =>
    users[0]?.shard === undefined ? locate(ledger, users) : serve(ledger, users),
  );
  const isServed = await served.then(
    () => true,
    () => false,
  );
  for (const quota of users) {
    if (ledger.queue.has(quota)) continue;
    quota.asked?.resolve(served);
    quota.asked = undefined;
    // A change to the user arrived in the meantime. After a failure, the next tick asks again.
    if (isServed && quota.isRecalled) void ask(ledger, quota);
  }
  ledger.running -= 1;
  schedule(ledger);
}
