/**
 * Asks for the latest price every 20 ms, whether or not the answers come, in a process of its own: whoever attacks does
 * not make it slower by the attacker's own work. Sends what it saw since the last time whenever it is sent a message.
 */
import { Pool } from 'undici';

const EVERY_MS = 20;
const PATH = '/v1/prices/latest/token?tokenName=bitcoin';

const { NEIGHBOUR_URL = '', NEIGHBOUR_KEY = '' } = process.env;
const pool = new Pool(NEIGHBOUR_URL, { connections: 100, headersTimeout: 30_000, bodyTimeout: 30_000 });
const underWay = new Set<Promise<void>>();
let latencies: number[] = [];
let failures: string[] = [];

async function ask(): Promise<void> {
  const askedAt = performance.now();
  try {
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path: PATH,
      headers: { 'x-api-key': NEIGHBOUR_KEY },
    });
    const text = await body.text();
    if (statusCode !== 200) failures.push(`${statusCode} ${text.slice(0, 300)}`);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    failures.push(`${code ?? ''} ${message}`);
  }
  latencies.push(performance.now() - askedAt);
}

setInterval(() => {
  const asked = ask().finally(() => underWay.delete(asked));
  underWay.add(asked);
}, EVERY_MS);

process.on('message', async () => {
  // What was asked until now belongs to what is told now, however long it takes.
  await Promise.all(underWay);
  process.send?.({ latencies, failures });
  [latencies, failures] = [[], []];
});
process.on('disconnect', () => process.exit());
