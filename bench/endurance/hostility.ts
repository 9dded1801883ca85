import {
  leaveBodiesUnfinished,
  MB,
  manyValues,
  repeatRequest,
  sendBodies,
  sendTexts,
  type Target,
} from '../calls/hostile/attacks.ts';
import type { Fleet, Member } from './fleet.ts';
import type { Journal } from './journal.ts';
import type { User } from './ledger.ts';

/** The interval between attacks, and the duration of an attack, in ms. */
const EVERY_MS = 15_000;
const ATTACK_MS = 3_000;

const FEW = { connections: 8, ms: ATTACK_MS };
const SEARCH = '/v1/node/txs?message.sender=cosmos1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqnrql8a';

const ATTACKS: Readonly<Record<string, (target: Target) => Promise<unknown>>> = {
  'broadcasts of 1 MB': (target) => sendBodies(target, { line: 'POST /v1/node/txs', body: manyValues(MB), ...FEW }),
  'broadcasts of many values': (target) =>
    sendBodies(target, { line: 'POST /v1/node/txs', body: manyValues(MB / 8), ...FEW }),
  'rejected bodies': ({ url }) => sendBodies({ url }, { line: 'POST /v1/nothing', body: Buffer.alloc(MB), ...FEW }),
  // The client keeps the connections open, so the service must close them.
  'unfinished bodies': ({ url }) => leaveBodiesUnfinished({ url }, 'POST /v1/nothing', 100).ended,
  searches: (target) => repeatRequest(target, { path: SEARCH, ...FEW }),
  'broken requests': ({ url }) => sendTexts(url, ['GET / HTTP/1.1\r\n\r\n', 'HELO\r\n\r\n'], FEW),
};

type Parts = { fleet: Fleet; user: User; random: () => number; journal: Journal };

/**
 * Attacks a random process every few seconds, with a key that makes no charged calls. The normal load shows whether
 * other users are affected. `close` waits for pending attacks.
 */
export function startHostility({ fleet, user, random, journal }: Parts) {
  const pending = new Set<Promise<unknown>>();
  let started = 0;

  const attacking = setInterval(() => {
    const { name: target, url } = fleet.members[Math.floor(random() * fleet.members.length)] as Member;
    const names = Object.keys(ATTACKS);
    const name = names[started++ % names.length] as string;
    journal.note(`attack on ${target}: ${name}`);
    const attack = (ATTACKS[name] as (target: Target) => Promise<unknown>)({ url, apiKey: user.apiKey })
      .then((tally) => journal.note(`… ${name}: ${JSON.stringify(tally)?.slice(0, 200) ?? 'done'}`))
      .finally(() => pending.delete(attack));
    pending.add(attack);
  }, EVERY_MS);

  return {
    count: () => started,
    async close(): Promise<void> {
      clearInterval(attacking);
      await Promise.all(pending);
    },
  };
}
