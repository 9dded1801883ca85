import { EventEmitter, once } from 'node:events';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as after } from 'node:timers/promises';
import { edgePage, rateLimited } from './errors.ts';
import { type Answer, jsonReply, parseJson } from './upstream.ts';

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
 * - `delay`: the normal response after `ms`
 * - `status`: this status; without `body` a typical one
 * - `rateLimitUnder200`: the rate-limit body with HTTP 200; `html`: the CDN's page instead of JSON
 * - `truncated`: half of the JSON in a complete HTTP message
 * - `hangBeforeHeaders`, `hangMidway`: nothing, or headers and half of the body, then silence
 * - `reset`, `resetMidway`: the connection breaks before the headers, or after half of the body
 * - `slow`: one byte every `everyMs` (1000)
 * - `emptyChart`: with empty arrays; `wrongTypes`: with objects for numbers and numbers for strings
 * - `huge`: `bytes` of JSON without an end
 */
export type Fault =
  | { kind: Plain }
  | { kind: 'delay'; ms: number }
  | { kind: 'status'; status: number; body?: unknown; headers?: Record<string, string> }
  | { kind: 'html'; status?: number }
  | { kind: 'slow'; everyMs?: number }
  | { kind: 'huge'; bytes: number };

/** A string matches any part of the path; a pattern matches the path with or without its query. */
type PathMatch = string | RegExp;
type Target = { path: string; search: string };

function matches(match: PathMatch | undefined, { path, search }: Target): boolean {
  if (match === undefined) return true;
  if (typeof match === 'string') return path.includes(match);
  // `test` would continue at the last match of a global pattern.
  return path.search(match) >= 0 || (path + search).search(match) >= 0;
}

export function createFaults() {
  let queued: { fault: Fault; left: number; path: PathMatch | undefined }[] = [];
  let permanent: { fault: Fault; path: PathMatch | undefined }[] = [];
  const holds = new Set<Hold>();
  return {
    /** The next `times` (1) matching requests get the fault, after earlier queued faults. */
    next(fault: Fault, { times = 1, path }: { times?: number; path?: PathMatch } = {}): void {
      queued.push({ fault, left: times, path });
    },
    /** Every matching request gets the newest such fault, unless a queued one applies. */
    always(fault: Fault, { path }: { path?: PathMatch } = {}): void {
      permanent.unshift({ fault, path });
    },
    /** Removes all faults and releases all held requests. */
    clear(): void {
      queued = [];
      permanent = [];
      for (const hold of holds) hold.release();
    },
    /** Holds matching requests until `release`; `arrived(n)` resolves when n are held. */
    hold({ path }: { path?: PathMatch } = {}): Pick<Hold, 'release' | 'arrived'> {
      const hold = createHold(path, () => holds.delete(hold));
      holds.add(hold);
      return hold;
    },
    /** For the server: resolves when the request is released or its connection has ended. */
    async waitForRelease(target: Target, gone: AbortSignal): Promise<void> {
      for (const hold of holds) if (matches(hold.path, target)) await hold.wait(gone);
    },
    /** For the server: takes the fault of a request. */
    take(target: Target): Fault | null {
      const due = queued.find((order) => matches(order.path, target));
      if (due && --due.left === 0) queued = queued.filter((order) => order !== due);
      return (due ?? permanent.find((order) => matches(order.path, target)))?.fault ?? null;
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
    async wait(gone: AbortSignal): Promise<void> {
      if (gone.aborted) return;
      held += 1;
      arrivals.emit('arrival');
      await Promise.race([gate.promise, once(gone, 'abort')]);
      held -= 1;
    },
  };
}

/** Chunked, without Content-Length, as CoinGecko does. */
export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers).end(body);
}

/** Applies `change` to every value of a JSON body; other bodies stay. */
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
  const likely =
    status === 429
      ? rateLimited(429)
      : status >= 500
        ? edgePage(status, `${status}: ${STATUS_CODES[status] ?? 'error'}`)
        : jsonReply(status, { error: STATUS_CODES[status] ?? 'error' });
  const isText = typeof body === 'string';
  const type = isText && body.startsWith('<') ? 'text/html; charset=UTF-8' : 'application/json; charset=utf-8';
  const given = { status, headers: { 'content-type': type }, body: isText ? body : JSON.stringify(body) };
  const answer = body === undefined ? likely : given;
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

/** Resolves when the headers and half of the body have been passed to the socket. */
function sendHalf(response: ServerResponse, { status, headers, body }: Answer): Promise<void> {
  response.writeHead(status, headers);
  const text = Buffer.from(body);
  return new Promise((written) => response.write(text.subarray(0, text.length >> 1), () => written()));
}

async function sendSlowly(response: ServerResponse, answer: Answer, everyMs: number, gone: AbortSignal) {
  response.writeHead(answer.status, answer.headers).flushHeaders();
  for (const byte of Buffer.from(answer.body)) {
    await after(everyMs, undefined, { signal: gone });
    response.write(Buffer.of(byte));
  }
  response.end();
}

/**
 * Responds with a fault. `normal` makes the response without it, `limited` the rate limit's with HTTP 200. Rejects
 * with an AbortError when `gone` ends a wait.
 */
export async function sendFault(
  fault: Fault,
  response: ServerResponse,
  normal: () => Answer,
  gone: AbortSignal,
  limited = () => rateLimited(200),
): Promise<void> {
  switch (fault.kind) {
    case 'delay':
      await after(fault.ms, undefined, { signal: gone });
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
      // A reset could overtake the half that was sent.
      response.socket?.destroy();
      return;
    case 'slow':
      return sendSlowly(response, normal(), fault.everyMs ?? 1_000, gone);
    case 'huge':
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
      return pipeline(Readable.from(endlessChart(fault.bytes)), response);
  }
}
