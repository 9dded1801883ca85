import { setTimeout as wait } from 'node:timers/promises';
import { head } from '../../bench/calls/hostile/attacks.ts';
import { openRaw } from '../../bench/calls/hostile/raw-connection.ts';

/** The maximum duration of a connection: 60 s for a body, and a margin for the check. */
export const LONGEST_MS = 70_000;
const DRIP_MS = 250;

/** The last response on a connection that never completes its request, and whether it was closed. */
type Fate = {
  status?: number;
  code?: string | undefined;
  type?: string | undefined;
  isEnded: boolean;
};

/** Sends a beginning, and then the same bytes repeatedly, if any. Never completes the request. */
async function neverEnd(url: string, beginning: string, drip = ''): Promise<Fate> {
  const connection = openRaw(url);
  connection.send(beginning);
  const dripping = drip ? setInterval(() => connection.send(drip), DRIP_MS) : undefined;
  const fate: Fate = { isEnded: false };
  const reading = (async () => {
    for (let response = await connection.readResponse(); response; response = await connection.readResponse()) {
      const { status, code, headers } = response;
      Object.assign(fate, { status, code, type: headers['content-type'] });
    }
    fate.isEnded = true;
  })();
  const patience = new AbortController();
  await Promise.race([reading, wait(LONGEST_MS, undefined, { signal: patience.signal }).catch(() => undefined)]);
  patience.abort();
  clearInterval(dripping);
  connection.close();
  return { ...fate };
}

/** Starts requests that are never completed, on concurrent connections. Returns the fate of each connection. */
export function beginUnending(url: string, apiKey: string) {
  const broadcast = (framing: Record<string, string | number>) =>
    head('POST /v1/node/txs', { 'x-api-key': apiKey, 'content-type': 'application/json', ...framing });
  const sized = `${broadcast({ 'content-length': 100_000 })}{"mode":"sync",`;
  const unwanted = head('GET /v1/user/usage', { 'x-api-key': apiKey, 'content-length': 100_000 });
  const halfHead = 'GET /v1/tokens HTTP/1.1\r\nhost: quotient\r\n';
  return {
    timedOut: {
      'an empty connection': neverEnd(url, ''),
      'an incomplete head': neverEnd(url, halfHead),
      'a slow head': neverEnd(url, `${halfHead}x: `, 'x'),
      'an incomplete body': neverEnd(url, sized),
      'a slow body': neverEnd(url, sized, ' '),
      'a slow chunked body': neverEnd(url, broadcast({ 'transfer-encoding': 'chunked' }), '1\r\n \r\n'),
    },
    ended: {
      'an unexpected body': neverEnd(url, unwanted),
      'a slow unexpected body': neverEnd(url, unwanted, ' '),
    },
  };
}

export type Unending = ReturnType<typeof beginUnending>;
