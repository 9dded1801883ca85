import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'undici';

export type CountedResponse = {
  status: number;
  at: number;
  retryAfter: string | undefined;
  code: string | undefined;
  closes: boolean;
};

/** A call that costs one, and is served from memory except for the first time. */
export const PRICED = '/v1/prices/latest/token?tokenName=bitcoin';

type Options = {
  connections?: number;
  path?: string;
  /** A connection ends after the first response for which this returns true, or after `stop`. */
  until?: (response: CountedResponse) => boolean;
  /** The time between a response and the next call, in ms. */
  everyMs?: number;
};

/**
 * Makes sequential calls over keep-alive connections, and keeps all responses (`at` in ms of `performance.now()`).
 * `failed` lists the error codes of calls without a response. A connection ends with its first failure.
 */
export function hammer(url: string, apiKey: string, options: Options = {}) {
  const { connections = 4, path = PRICED, until = () => false, everyMs = 0 } = options;
  const responses: CountedResponse[] = [];
  const failed: string[] = [];
  let inFlight = 0;
  let stopped = false;

  async function call(client: Client): Promise<CountedResponse | undefined> {
    inFlight += 1;
    try {
      const { statusCode, headers, body } = await client.request({
        method: 'GET',
        path,
        headers: { 'x-api-key': apiKey },
      });
      const text = await body.text();
      const code = statusCode >= 400 ? (JSON.parse(text) as { code: string }).code : undefined;
      const retryAfter = headers['retry-after']?.toString();
      const closes = headers.connection === 'close';
      const response = { status: statusCode, at: performance.now(), retryAfter, code, closes };
      responses.push(response);
      return response;
    } catch (error) {
      failed.push((error as { code?: string }).code ?? String(error));
      return undefined;
    } finally {
      inFlight -= 1;
    }
  }

  async function connection(): Promise<void> {
    const client = new Client(url, { headersTimeout: 60_000 });
    while (!stopped) {
      const response = await call(client);
      if (!response || response.closes || until(response)) break;
      if (everyMs > 0) await wait(everyMs);
    }
    await client.destroy();
  }

  const done = Promise.all(Array.from({ length: connections }, connection));
  return {
    responses,
    failed,
    inFlight: () => inFlight,
    /** The number of responses with a status, or with 2xx. */
    count: (status?: number) => responses.filter((one) => (status ? one.status === status : one.status < 300)).length,
    /** Resolves when every connection has ended. */
    done: done.then(() => undefined),
    /** Ends every connection after its current call. */
    async stop(): Promise<void> {
      stopped = true;
      await done;
    },
  };
}
