import { type ServerResponse, STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as after } from 'node:timers/promises';
import { edgePage, rateLimited } from './coingecko/errors.ts';
import type { Fault } from './faults.ts';
import type { Answer } from './upstream.ts';
import { jsonReply, parseJson } from './upstream.ts';

/** Sends an answer as the aggregator does: chunked, without Content-Length. */
export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers).end(body);
}

/** The answer with `change` applied to every value of its JSON; an answer that is no JSON stays as it is. */
function changeJson(answer: Answer, change: (key: string, value: unknown) => unknown): Answer {
  const body = parseJson(answer.body);
  return body === undefined ? answer : { ...answer, body: JSON.stringify(body, change) };
}

const emptyArrays = (answer: Answer) =>
  changeJson(answer, (_key, value) => (Array.isArray(value) ? [] : value));

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
  const type =
    isText && body.startsWith('<') ? 'text/html; charset=UTF-8' : 'application/json; charset=utf-8';
  const given = { status, headers: { 'content-type': type }, body: isText ? body : JSON.stringify(body) };
  const answer = body === undefined ? likely : given;
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

function* endlessChart(bytes: number): Generator<string> {
  const samples = '[1621003519770,50675.258073370765],'.repeat(1_900); // some 64 KB
  let left = bytes;
  for (let text = `{"prices":[${samples}`; left > 0; text = samples) {
    yield text.slice(0, left);
    left -= text.length;
  }
}

/** Sends the headers and the first half of the body; resolves when they have been handed to the socket. */
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
 * Answers with a fault. `normal` makes the answer without the fault; `gone` aborts all waiting when the connection
 * ends, and the promise rejects with its AbortError. `limited` makes the upstream's rate-limit answer under HTTP 200;
 * the default is the aggregator's.
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
      // Not a reset, which could overtake the half that was sent.
      response.socket?.destroy();
      return;
    case 'slow':
      return sendSlowly(response, normal(), fault.everyMs ?? 1_000, gone);
    case 'huge':
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
      return pipeline(Readable.from(endlessChart(fault.bytes)), response);
  }
}
