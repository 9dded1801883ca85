import { setTimeout as wait } from 'node:timers/promises';
import { atMost, type Figure, none, seen } from '../measuring/table.ts';
import type { Environment } from '../stand/environment.ts';
import { openStand } from '../stand/stand.ts';
import { leaveBodiesUnfinished, MB, manyValues, repeatRequest, sendBodies, sendTexts } from './hostile/attacks.ts';
import { startNeighbour } from './hostile/neighbour.ts';
import { searchResponse } from './hostile/node-responses.ts';

const MS = 5_000;
/** The maximum p99 of the neighbour, in ms. */
const BAR = 100;
const BROADCAST = 'POST /v1/node/txs';
const SEARCH = '/v1/node/txs?message.sender=cosmos1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqnrql8a';

/** Measures one user's latency for the latest price, without load and during several kinds of attacks. */
export async function measure(environment: Environment): Promise<Figure[]> {
  const stand = await openStand(environment, 2);
  const { sandbox } = stand;
  const [neighbourKey = '', apiKey = ''] = stand.keys;
  const { url } = await stand.startService({ NODE_URLS: sandbox.cosmosNodeUrl });
  const neighbour = await startNeighbour(url, neighbourKey);

  const attacks: [string, () => Promise<unknown>][] = [
    [
      '60 concurrent broadcasts of 1 MB of small values',
      () => sendBodies({ url, apiKey }, { line: BROADCAST, body: manyValues(MB), connections: 60, ms: MS }),
    ],
    [
      '60 concurrent broadcasts of 128 KB of small values',
      () => sendBodies({ url, apiKey }, { line: BROADCAST, body: manyValues(MB / 8), connections: 60, ms: MS }),
    ],
    [
      '16 connections that send rejected bodies of 1 MB',
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
      `8 connections that search, responses of ${size} MB`,
      async () => {
        const body = searchResponse(0.98 * size * MB);
        sandbox.faults.always({ kind: 'status', status: 200, body }, { path: '/txs' });
        await repeatRequest({ url, apiKey }, { path: SEARCH, connections: 8, ms: MS });
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
  figures.push(seen("neighbour's p99 without attack", `${quiet.p99.toPrecision(3)} ms`));
  for (const [name, attack] of attacks) {
    const { spell } = await neighbour.during(attack);
    failed += spell.failures.length;
    figures.push(atMost(`… during ${name}`, spell.p99, BAR, 'ms'));
  }
  figures.push(none('… failed calls of the neighbour', failed));
  await neighbour.close();
  await stand.close();
  return figures;
}
