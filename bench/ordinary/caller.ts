/**
 * Makes calls when they are due, not when the service is ready for them: told of them on its standard input, it prints
 * how long each took from the instant at which it was due, in ms. Connections are opened as they are needed and kept.
 */
import { text } from 'node:stream/consumers';
import { setTimeout as wait, setImmediate as yielding } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Call } from './schedule.ts';

export type Order = { url: string; warmUp: readonly string[]; calls: readonly Call[] };

/** Before the first call: enough of them, and so many at once, that code is compiled and connections are open. */
const WARM_UP = { rounds: 20, atOnce: 20 };
/** Node's timers may be so late, in ms: the rest is waited for in turns of the loop, which keep a core busy. */
const TIMER = 1.5;
/** Calls closer than this, in ms, may be late by a timer: the core is the database's too. */
const CLOSE = 5;

const { url, warmUp, calls } = JSON.parse(await text(process.stdin)) as Order;
const { origin, pathname, search } = new URL(url);
const pool = new Pool(origin);

async function ask(key: string): Promise<void> {
  const { statusCode, body } = await pool.request({
    path: pathname + search,
    method: 'GET',
    headers: { 'x-api-key': key },
  });
  const answer = await body.text();
  if (statusCode !== 200) throw new Error(`${statusCode} ${answer}`);
}

async function until(instant: number): Promise<void> {
  const rest = instant - performance.now();
  if (rest <= 0) return;
  await wait(rest < CLOSE ? rest : rest - TIMER);
  while (rest >= CLOSE && performance.now() < instant) await yielding();
}

for (let round = 0; round < WARM_UP.rounds; round++) {
  const some = Array.from({ length: WARM_UP.atOnce }, (_, i) => warmUp[i % warmUp.length] as string);
  await Promise.all(some.map(ask));
}

const startedAt = performance.now() + 100;
const underWay: Promise<number>[] = [];
for (const { at, key } of calls) {
  await until(startedAt + at);
  underWay.push(ask(key).then(() => performance.now() - startedAt - at));
}
console.log(JSON.stringify(await Promise.all(underWay)));
await pool.close();
