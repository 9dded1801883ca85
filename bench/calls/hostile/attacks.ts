import { Pool } from 'undici';
import { openRaw, type RawConnection } from './raw-connection.ts';

/** The number of responses of each kind: `200`, `503 overloaded`, or `cut` if a connection ended without a response. */
export type Tally = Record<string, number>;

export type Target = { url: string; apiKey?: string };
type Repeated = { connections: number; ms: number };

export const MB = 2 ** 20;

const count = (tally: Tally, kind: string) => {
  tally[kind] = (tally[kind] ?? 0) + 1;
};

/** Repeats `work` in `connections` concurrent loops for `ms` milliseconds. */
async function repeat({ connections, ms }: Repeated, work: () => Promise<void>): Promise<void> {
  const end = performance.now() + ms;
  const one = async () => {
    while (performance.now() < end) await work();
  };
  await Promise.all(Array.from({ length: connections }, one));
}

/** The head of a request, as it is sent. */
export const head = (line: string, headers: Record<string, string | number | undefined> = {}): string =>
  [`${line} HTTP/1.1`, 'host: quotient', ...fieldsOf(headers), '\r\n'].join('\r\n');

const fieldsOf = (headers: Record<string, string | number | undefined>) =>
  Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));

/** `{"tx":{"a":[{},{},…]}}` of a given size: cheap to send, expensive to parse. */
export function manyValues(bytes: number): string {
  const [beginning, end] = ['{"mode":"sync","tx":{"a":[{}', ']}}'];
  return beginning + ',{}'.repeat(Math.floor((bytes - beginning.length - end.length) / 3)) + end;
}

/** Repeats a request with a body. Each connection sends the next request immediately after the response. */
export async function sendBodies(
  { url, apiKey }: Target,
  { line, body, ...repeated }: Repeated & { line: string; body: string | Buffer },
): Promise<Tally> {
  const tally: Tally = {};
  const bytes = Buffer.from(body);
  const request = head(line, {
    'x-api-key': apiKey,
    'content-type': 'application/json',
    'content-length': bytes.length,
  });
  const idle: RawConnection[] = [];
  await repeat(repeated, async () => {
    const connection = idle.pop() ?? openRaw(url);
    connection.send(request, bytes);
    const response = await connection.readResponse();
    count(tally, response ? [response.status, response.code].join(' ').trim() : 'cut');
    if (response && connection.isOpen() && response.headers.connection !== 'close') idle.push(connection);
    else connection.close();
  });
  for (const connection of idle) connection.close();
  return tally;
}

/** Sends the texts in rotation, each on a new connection, and waits for each response. */
export async function sendTexts(url: string, texts: readonly string[], repeated: Repeated): Promise<Tally> {
  const tally: Tally = {};
  let sent = 0;
  await repeat(repeated, async () => {
    const connection = openRaw(url);
    connection.send(texts[sent++ % texts.length] ?? '');
    const response = await connection.readResponse();
    count(tally, response ? [response.status, response.code].join(' ').trim() : 'cut');
    connection.close();
  });
  return tally;
}

/** Starts requests with a body of 1 MB and sends only half of each body. `close` closes the connections. */
export function leaveBodiesUnfinished({ url, apiKey }: Target, line: string, connections: number) {
  const half = Buffer.alloc(MB / 2, 'x');
  const open = Array.from({ length: connections }, () => {
    const connection = openRaw(url);
    connection.send(head(line, { 'x-api-key': apiKey, 'content-length': MB }), half);
    return connection;
  });
  return {
    open: (): number => open.filter((connection) => connection.isOpen()).length,
    /** Resolves when the service has closed all connections. */
    ended: Promise.all(open.map(({ ended }) => ended)),
    close: (): void => {
      for (const connection of open) connection.close();
    },
  };
}

/** Repeats a request. Each connection sends the next request immediately after the response. */
export async function repeatRequest(
  { url, apiKey = '' }: Target,
  { path, headers = {}, ...repeated }: Repeated & { path: string | (() => string); headers?: Record<string, string> },
): Promise<Tally> {
  const tally: Tally = {};
  const pool = new Pool(url, { connections: repeated.connections, headersTimeout: 60_000 });
  await repeat(repeated, async () => {
    const requestPath = typeof path === 'string' ? path : path();
    try {
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path: requestPath,
        headers: { ...headers, 'x-api-key': apiKey },
      });
      const text = await body.text();
      const code = statusCode >= 400 ? /"code":"(\w+)"/.exec(text)?.[1] : undefined;
      count(tally, [statusCode, code].join(' ').trim());
    } catch {
      count(tally, 'cut');
    }
  });
  await pool.destroy();
  return tally;
}
