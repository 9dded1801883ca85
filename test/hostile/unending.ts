import { setTimeout as wait } from 'node:timers/promises';
import { head } from '../../bench/hostile/attacks.ts';
import { openRaw } from '../../bench/hostile/raw-connection.ts';

/** The longest that a connection may live on: 60 s for a body, and as long as it takes to look. */
export const LONGEST_MS = 70_000;
const DRIP_MS = 250;

/** The last response on a connection that never completes its request, and whether it was closed. */
export type Fate = {
  status?: number;
  code?: string | undefined;
  type?: string | undefined;
  isEnded: boolean;
};

/** Sends a beginning, and then the same bytes again and again where there are any, and never an end. */
async function neverEnd(url: string, beginning: string, drip = ''): Promise<Fate> {
  const connection = openRaw(url);
  connection.send(beginning);
  const dripping = drip ? setInterval(() => connection.send(drip), DRIP_MS) : undefined;
  const fate: Fate = { isEnded: false };
  const reading = (async () => {
    for (let answer = await connection.answer(); answer; answer = await connection.answer()) {
      const { status, code, headers } = answer;
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

/** Requests that are never whole, on connections that all wait at the same time; what becomes of each. */
export function beginUnending(url: string, apiKey: string) {
  const broadcast = (framing: Record<string, string | number>) =>
    head('POST /v1/node/txs', { 'x-api-key': apiKey, 'content-type': 'application/json', ...framing });
  const sized = `${broadcast({ 'content-length': 100_000 })}{"mode":"sync",`;
  const unwanted = head('GET /v1/user/usage', { 'x-api-key': apiKey, 'content-length': 100_000 });
  const halfHead = 'GET /v1/tokens HTTP/1.1\r\nhost: quotient\r\n';
  return {
    timedOut: {
      'a connection without a byte': neverEnd(url, ''),
      'half a head': neverEnd(url, halfHead),
      'a head that drips': neverEnd(url, `${halfHead}x: `, 'x'),
      'half a body': neverEnd(url, sized),
      'a body that drips': neverEnd(url, sized, ' '),
      'a body in chunks that drips': neverEnd(url, broadcast({ 'transfer-encoding': 'chunked' }), '1\r\n \r\n'),
    },
    ended: {
      'an unwanted body': neverEnd(url, unwanted),
      'an unwanted body that drips': neverEnd(url, unwanted, ' '),
    },
  };
}

export type Unending = ReturnType<typeof beginUnending>;
