/**
 * Makes calls at scheduled times, even if the service is not ready. Reads the calls from standard input. Prints the
 * latency of each call from its scheduled time, in ms. Connections are opened on demand and kept open.
 */
import { text } from 'node:stream/consumers';
import { setTimeout as wait, setImmediate as yielding } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Call } from './schedule.ts';

export type Order = { url: string; warmUp: readonly string[]; calls: readonly Call[] };

/** The requests before the first call, which ensure that code is compiled and connections are open. */
const WARM_UP = { rounds: 20, concurrent: 20 };
/** How late Node's timers fire, in ms. A pause therefore ends with turns of the event loop, which use the core. */
const TIMER_DELAY = 1.5;
/** Pauses shorter than this, in ms, use only a timer, which may be late: the database needs the same core. */
const CLOSE = 5;

const { url, warmUp, calls } = JSON.parse(await text(process.stdin)) as Order;
const { origin, pathname, search } = new URL(url);
const pool = new Pool(origin);

async function send(key: string): Promise<void> {
  const { statusCode, body } = await pool.request({
    path: pathname + search,
    method: 'GET',
    headers: { 'x-api-key': key },
  });
  const responseText = await body.text();
  if (statusCode !== 200) throw new Error(`${statusCode} ${responseText}`);
}

async function until(instant: number): Promise<void> {
  const rest = instant - performance.now();
  if (rest <= 0) return;
  await wait(rest < CLOSE ? rest : rest - TIMER_DELAY);
  while (rest >= CLOSE && performance.now() < instant) await yielding();
}

for (let round = 0; round < WARM_UP.rounds; round++) {
  const some = Array.from({ length: WARM_UP.concurrent }, (_, i) => warmUp[i % warmUp.length] as string);
  await Promise.all(some.map(send));
}

const startedAt = performance.now() + 100;
const pending: Promise<number>[] = [];
for (const { at, key } of calls) {
  await until(startedAt + at);
  pending.push(send(key).then(() => performance.now() - startedAt - at));
}
console.log(JSON.stringify(await Promise.all(pending)));
await pool.close();
