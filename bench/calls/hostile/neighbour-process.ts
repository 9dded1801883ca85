/**
 * Requests the latest price every 20 ms, even if earlier responses have not arrived. Runs in a separate process, so
 * that the attacker's own work does not slow it down. Answers each message from the parent with the results since the
 * last message.
 */
import { Pool } from 'undici';

const EVERY_MS = 20;
const PATH = '/v1/prices/latest/token?tokenName=bitcoin';

const { NEIGHBOUR_URL = '', NEIGHBOUR_KEY = '' } = process.env;
const pool = new Pool(NEIGHBOUR_URL, { connections: 100, headersTimeout: 5_000, bodyTimeout: 5_000 });
const pending = new Set<Promise<void>>();
let latencies: number[] = [];
let failures: string[] = [];

async function send(): Promise<void> {
  const sentAt = performance.now();
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
  latencies.push(performance.now() - sentAt);
}

setInterval(() => {
  const sent = send().finally(() => pending.delete(sent));
  pending.add(sent);
}, EVERY_MS);

process.on('message', async () => {
  // Pending requests belong to this report.
  await Promise.all(pending);
  process.send?.({ latencies, failures });
  [latencies, failures] = [[], []];
});
process.on('disconnect', () => process.exit());
