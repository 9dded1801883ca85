import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from './environment.ts';
import { askAgain, leaveBodiesUnfinished, MB, manyValues, sendBodies, sendTexts } from './hostile/attacks.ts';
import { startNeighbour } from './hostile/neighbour.ts';
import { searchAnswer } from './hostile/node-answers.ts';
import { openStand } from './stand.ts';
import { atMost, type Figure, none, seen } from './table.ts';

const MS = 5_000;
/** What a neighbour's slowest hundredth may take, in ms. */
const BAR = 250;
const BROADCAST = 'POST /v1/node/txs';
const SEARCH = '/v1/node/txs?message.sender=cosmos1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqnrql8a';

/** How long the latest price takes for one user, quiet and while another attacks in each of several ways. */
export async function measure(environment: Environment): Promise<Figure[]> {
  const stand = await openStand(environment, 2);
  const { sandbox } = stand;
  const [theirs = '', apiKey = ''] = stand.keys;
  const { url } = await stand.startService({ NODE_URLS: sandbox.cosmosNodeUrl });
  const neighbour = await startNeighbour(url, theirs);

  const attacks: [string, () => Promise<unknown>][] = [
    [
      '60 broadcasts at once of 1 MB of small values',
      () => sendBodies({ url, apiKey }, { line: BROADCAST, body: manyValues(MB), connections: 60, ms: MS }),
    ],
    [
      '60 broadcasts at once of 128 KB of small values',
      () => sendBodies({ url, apiKey }, { line: BROADCAST, body: manyValues(MB / 8), connections: 60, ms: MS }),
    ],
    [
      '16 connections that send a refused 1 MB',
      () => sendBodies({ url }, { line: 'POST /v1/nothing', body: Buffer.alloc(MB), connections: 16, ms: MS }),
    ],
    [
      '1,500 unfinished bodies of 1 MB',
      async () => {
        const attack = leaveBodiesUnfinished({ url }, 'POST /v1/nothing', 1_500);
        await wait(MS);
        attack.close();
      },
    ],
    ...[4, 8].map((size): [string, () => Promise<unknown>] => [
      `8 connections that search, answers of ${size} MB`,
      async () => {
        const body = searchAnswer(0.98 * size * MB);
        sandbox.faults.always({ kind: 'status', status: 200, body }, { path: '/txs' });
        await askAgain({ url, apiKey }, { path: SEARCH, connections: 8, ms: MS });
        sandbox.faults.clear();
      },
    ]),
    [
      'broken requests on 16 connections',
      () => sendTexts(url, ['GET / HTTP/1.1\r\n\r\n', 'HELO\r\n\r\n'], { connections: 16, ms: MS }),
    ],
  ];

  const figures: Figure[] = [];
  let failed = 0;
  const { spell: quiet } = await neighbour.during(() => wait(MS));
  figures.push(seen("a neighbour's p99, quiet", `${quiet.p99.toPrecision(3)} ms`));
  for (const [name, attack] of attacks) {
    const { spell } = await neighbour.during(attack);
    failed += spell.failures.length;
    figures.push(atMost(`… ${name}`, spell.p99, BAR, 'ms'));
  }
  figures.push(none('… calls of the neighbour that were not answered', failed));
  await neighbour.close();
  await stand.close();
  return figures;
}
