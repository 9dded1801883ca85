import {
  askAgain,
  leaveBodiesUnfinished,
  MB,
  manyValues,
  sendBodies,
  sendTexts,
  type Target,
} from '../hostile/attacks.ts';
import type { User } from './book.ts';
import type { Fleet, Member } from './fleet.ts';
import type { Journal } from './journal.ts';

/** From one attack to the next, and how long one takes, in ms. */
const EVERY_MS = 15_000;
const ATTACK_MS = 3_000;

const FEW = { connections: 8, ms: ATTACK_MS };
const SEARCH = '/v1/node/txs?message.sender=cosmos1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqnrql8a';

const ATTACKS: Readonly<Record<string, (target: Target) => Promise<unknown>>> = {
  'broadcasts of 1 MB': (target) => sendBodies(target, { line: 'POST /v1/node/txs', body: manyValues(MB), ...FEW }),
  'broadcasts of many values': (target) =>
    sendBodies(target, { line: 'POST /v1/node/txs', body: manyValues(MB / 8), ...FEW }),
  'bodies that nobody wants': ({ url }) =>
    sendBodies({ url }, { line: 'POST /v1/nothing', body: Buffer.alloc(MB), ...FEW }),
  // They are left to the service, which has to end them.
  'unfinished bodies': ({ url }) => leaveBodiesUnfinished({ url }, 'POST /v1/nothing', 100).ended,
  searches: (target) => askAgain(target, { path: SEARCH, ...FEW }),
  'broken requests': ({ url }) => sendTexts(url, ['GET / HTTP/1.1\r\n\r\n', 'HELO\r\n\r\n'], FEW),
};

type Parts = { fleet: Fleet; user: User; random: () => number; journal: Journal };

/**
 * Every few seconds somebody attacks one of the processes for a while, with a key that asks for nothing priced: that all
 * others are answered as ever is seen by whoever asks for them. `close` waits for what is under way.
 */
export function startHostility({ fleet, user, random, journal }: Parts) {
  const underWay = new Set<Promise<unknown>>();
  let begun = 0;

  const attacking = setInterval(() => {
    const { name: whom, url } = fleet.members[Math.floor(random() * fleet.members.length)] as Member;
    const names = Object.keys(ATTACKS);
    const name = names[begun++ % names.length] as string;
    journal.note(`${whom} is attacked: ${name}`);
    const attack = (ATTACKS[name] as (target: Target) => Promise<unknown>)({ url, apiKey: user.apiKey })
      .then((tally) => journal.note(`… ${name}: ${JSON.stringify(tally)?.slice(0, 200) ?? 'over'}`))
      .finally(() => underWay.delete(attack));
    underWay.add(attack);
  }, EVERY_MS);

  return {
    count: () => begun,
    async close(): Promise<void> {
      clearInterval(attacking);
      await Promise.all(underWay);
    },
  };
}
