import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Server } from '../../stand/service-process.ts';

const LOOPS = 32;
const KILLED_AFTER_MS = 5_000;

type Target = { server: Server; path: string; keys: readonly string[]; counted: () => Promise<number> };

/**
 * Kills a server (SIGKILL) under load. Returns the number of its responses, and the number of calls that the database
 * counts in addition; below 0 if it counts fewer. `counted` reads the number of counted calls from the database.
 */
export async function killUnderLoad({ server, path, keys, counted }: Target) {
  const before = await counted();
  const pool = new Pool(server.url, { connections: LOOPS });
  let responses = 0;
  let next = 0;
  async function untilKilled(): Promise<void> {
    for (;;) {
      const headers = { 'x-api-key': keys[next++ % keys.length] as string };
      const response = await pool.request({ path, method: 'GET', headers });
      await response.body.dump();
      if (response.statusCode === 200) responses += 1;
    }
  }
  const loops = Promise.allSettled(Array.from({ length: LOOPS }, untilKilled));
  await wait(KILLED_AFTER_MS);
  await server.kill();
  await loops;
  await pool.destroy();
  return { responses, difference: (await counted()) - before - responses };
}
