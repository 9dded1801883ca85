import { EventEmitter, once } from 'node:events';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as after } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { parseJson } from '../cosmos/parsers.ts';
import { edgePage, rateLimited } from './errors.ts';
import { type Answer, jsonReply } from './upstream.ts';

type Plain =
  | 'rateLimitUnder200'
  | 'truncated'
  | 'hangBeforeHeaders'
  | 'hangMidway'
  | 'reset'
  | 'resetMidway'
  | 'emptyChart'
  | 'wrongTypes';

/**
 * - `delay`: the normal response after `ms` milliseconds
 * - `status`: a response with this status; `body` defaults to a typical one
 * - `rateLimitUnder200`: the rate-limit response with HTTP 200
 * - `html`: the CDN's HTML page instead of JSON
 * - `truncated`: half of the JSON in a complete HTTP message
 * - `hangBeforeHeaders`, `hangMidway`: no response, or only the headers and half of the body; the connection stays open
 * - `reset`, `resetMidway`: the connection is closed before the headers, or after half of the body
 * - `slow`: one byte every `everyMs` milliseconds (1000 by default)
 * - `emptyChart`: the normal response with empty arrays
 * - `wrongTypes`: the normal response with objects instead of numbers, and numbers instead of strings
 * - `encoded`: the normal response in a content coding, whether or not the client accepts it
 * - `changed`: the normal response with the body that `change` returns for its JSON, or for its text if it is not JSON
 * - `huge`: incomplete JSON of `bytes` bytes
 */
export type Fault =
  | { kind: Plain }
  | { kind: 'delay'; ms: number }
  | { kind: 'status'; status: number; body?: unknown; headers?: Record<string, string> }
  | { kind: 'html'; status?: number }
  | { kind: 'changed'; change: (body: unknown) => unknown }
  | { kind: 'slow'; everyMs?: number }
  | { kind: 'encoded'; coding: keyof typeof CODINGS }
  | { kind: 'huge'; bytes: number };

const CODINGS = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync } as const;

/** A string matches any part of the path; a pattern matches the path with or without its query. */
type PathMatch = string | RegExp;
type Target = { path: string; search: string };

function matches(match: PathMatch | undefined, { path, search }: Target): boolean {
  if (match === undefined) return true;
  if (typeof match === 'string') return path.includes(match);
  // The method `test` of a global pattern would start after the previous match.
  return path.search(match) >= 0 || (path + search).search(match) >= 0;
}

export function createFaults() {
  let queued: { fault: Fault; left: number; path: PathMatch | undefined }[] = [];
  let permanent: { fault: Fault; path: PathMatch | undefined }[] = [];
  const holds = new Set<Hold>();
  return {
    /** Injects the fault into the next `times` (1 by default) matching requests, after previously queued faults. */
    next(fault: Fault, { times = 1, path }: { times?: number; path?: PathMatch } = {}): void {
      queued.push({ fault, left: times, path });
    },
    /** Injects the fault into all matching requests. Queued faults and later calls of `always` take precedence. */
    always(fault: Fault, { path }: { path?: PathMatch } = {}): void {
      permanent.unshift({ fault, path });
    },
    clear(): void {
      queued = [];
      permanent = [];
      for (const hold of holds) hold.release();
    },
    /** Holds matching requests until `release` is called. `arrived(n)` resolves when n requests are held. */
    hold({ path }: { path?: PathMatch } = {}): Pick<Hold, 'release' | 'arrived'> {
      const hold = createHold(path, () => holds.delete(hold));
      holds.add(hold);
      return hold;
    },
    /** For the server: resolves when the request is released or its connection is closed. */
    async waitForRelease(target: Target, disconnected: AbortSignal): Promise<void> {
      for (const hold of holds) if (matches(hold.path, target)) await hold.wait(disconnected);
    },
    /** For the server: returns the fault for a request and, if the fault was queued, removes it from the queue. */
    take(target: Target): Fault | null {
      const due = queued.find((entry) => matches(entry.path, target));
      if (due && --due.left === 0) queued = queued.filter((entry) => entry !== due);
      return (due ?? permanent.find((entry) => matches(entry.path, target)))?.fault ?? null;
    },
  };
}

type Hold = ReturnType<typeof createHold>;

function createHold(path: PathMatch | undefined, onRelease: () => void) {
  const gate = Promise.withResolvers<void>();
  const arrivals = new EventEmitter();
  let held = 0;
  return {
    path,
    release(): void {
      gate.resolve();
      onRelease();
    },
    async arrived(n: number): Promise<void> {
      while (held < n) await once(arrivals, 'arrival');
    },
    async wait(disconnected: AbortSignal): Promise<void> {
      if (disconnected.aborted) return;
      held += 1;
      arrivals.emit('arrival');
      await Promise.race([gate.promise, once(disconnected, 'abort')]);
      held -= 1;
    },
  };
}

/** Sends a response in chunks and without Content-Length, as CoinGecko does. */
export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers).end(body);
}

/** Applies `change` to every value in a JSON body. Does not change other bodies. */
function changeJson(answer: Answer, change: (key: string, value: unknown) => unknown): Answer {
  const body = parseJson(answer.body);
  return body === undefined ? answer : { ...answer, body: JSON.stringify(body, change) };
}

const emptyArrays = (answer: Answer) => changeJson(answer, (_key, value) => (Array.isArray(value) ? [] : value));

const wrongTypes = (answer: Answer) =>
  changeJson(answer, (key, value) => {
    if (typeof value === 'number' && key !== 'wrong') return { wrong: value };
    return typeof value === 'string' ? 0 : value;
  });

function statusAnswer({ status, body, headers }: Extract<Fault, { kind: 'status' }>): Answer {
  const typical =
    status === 429
      ? rateLimited(429)
      : status >= 500
        ? edgePage(status, `${status}: ${STATUS_CODES[status] ?? 'error'}`)
        : jsonReply(status, { error: STATUS_CODES[status] ?? 'error' });
  const isText = typeof body === 'string';
  const type = isText && body.startsWith('<') ? 'text/html; charset=UTF-8' : 'application/json; charset=utf-8';
  const custom = { status, headers: { 'content-type': type }, body: isText ? body : JSON.stringify(body) };
  const answer = body === undefined ? typical : custom;
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

function* endlessChart(bytes: number): Generator<string> {
  const samples = '[1621003519770,50675.258073370765],'.repeat(1_900); // about 64 KB
  let left = bytes;
  for (let text = `{"prices":[${samples}`; left > 0; text = samples) {
    yield text.slice(0, left);
    left -= text.length;
  }
}

/** Resolves when the headers and half of the body are written to the socket. */
function sendHalf(response: ServerResponse, { status, headers, body }: Answer): Promise<void> {
  response.writeHead(status, headers);
  const text = Buffer.from(body);
  return new Promise((written) => response.write(text.subarray(0, text.length >> 1), () => written()));
}

async function sendSlowly(response: ServerResponse, answer: Answer, everyMs: number, disconnected: AbortSignal) {
  response.writeHead(answer.status, answer.headers).flushHeaders();
  for (const byte of Buffer.from(answer.body)) {
    await after(everyMs, undefined, { signal: disconnected });
    response.write(Buffer.of(byte));
  }
  response.end();
}

/**
 * Responds with a fault. `normal` creates the response without the fault. `limited` creates the rate-limit response
 * with HTTP 200. Rejects with an AbortError if the client disconnects during a wait.
 */
export async function sendFault(
  fault: Fault,
  response: ServerResponse,
  normal: () => Answer,
  disconnected: AbortSignal,
  limited = () => rateLimited(200),
): Promise<void> {
  switch (fault.kind) {
    case 'delay':
      await after(fault.ms, undefined, { signal: disconnected });
      return send(response, normal());
    case 'status':
      return send(response, statusAnswer(fault));
    case 'rateLimitUnder200':
      return send(response, limited());
    case 'html':
      return send(response, edgePage(fault.status ?? 200, 'Access denied'));
    case 'truncated': {
      const answer = normal();
      return send(response, { ...answer, body: answer.body.slice(0, answer.body.length >> 1) });
    }
    case 'changed': {
      const answer = normal();
      const changed = fault.change(parseJson(answer.body) ?? answer.body);
      return send(response, { ...answer, body: typeof changed === 'string' ? changed : JSON.stringify(changed) });
    }
    case 'emptyChart':
      return send(response, emptyArrays(normal()));
    case 'wrongTypes':
      return send(response, wrongTypes(normal()));
    case 'hangBeforeHeaders':
      return;
    case 'hangMidway':
      return sendHalf(response, normal());
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'resetMidway':
      await sendHalf(response, normal());
      // The connection is closed without a reset, because a reset could discard data that is already written.
      response.socket?.destroy();
      return;
    case 'encoded': {
      const { status, headers, body } = normal();
      response.writeHead(status, { ...headers, 'content-encoding': fault.coding }).end(CODINGS[fault.coding](body));
      return;
    }
    case 'slow':
      return sendSlowly(response, normal(), fault.everyMs ?? 1_000, disconnected);
    case 'huge':
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
      return pipeline(Readable.from(endlessChart(fault.bytes)), response);
  }
}
