import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'undici';
import { PRICED } from '../support/service/hammer.ts';

/** Error codes of failed connections. Nothing was sent, so another process receives the call. */
const UNSENT = new Set(['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT']);
/** The time between two calls of a connection, in ms: a rate that both processes can serve on a busy machine. */
const PAUSE = 20;

/**
 * Makes calls as through a load balancer: each key has one connection, to a process that accepts connections. A call
 * that was sent is not repeated. `failed` lists calls without a response, and responses other than 2xx.
 */
export function balancedCalls(keys: readonly string[], urls: () => readonly string[]) {
  const answered = new Map<string, number>(keys.map((key) => [key, 0]));
  const failed: string[] = [];
  let isStopped = false;

  /** Makes one call on a connection. Returns whether the connection can be used again. */
  async function call(client: Client, key: string): Promise<boolean> {
    try {
      const { statusCode, headers, body } = await client.request({
        method: 'GET',
        path: PRICED,
        headers: { 'x-api-key': key },
      });
      const text = await body.text();
      if (statusCode === 200) answered.set(key, (answered.get(key) ?? 0) + 1);
      else failed.push(`${statusCode} ${text}`);
      return headers.connection !== 'close';
    } catch (error) {
      const { code = String(error) } = error as { code?: string };
      if (!UNSENT.has(code)) failed.push(code);
      return false;
    }
  }

  async function connections(key: string, start: number): Promise<void> {
    for (let turn = start; !isStopped; turn++) {
      const url = urls()[turn % urls().length];
      if (url !== undefined) {
        const client = new Client(url);
        while (!isStopped && (await call(client, key))) await wait(PAUSE);
        await client.destroy();
      }
      await wait(PAUSE);
    }
  }

  const done = Promise.all(keys.map(connections));
  return {
    failed,
    answered: (key: string) => answered.get(key) ?? 0,
    total: () => [...answered.values()].reduce((sum, count) => sum + count, 0),
    async stop(): Promise<void> {
      isStopped = true;
      await done;
    },
  };
}
