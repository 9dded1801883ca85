import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { API_KEY_FORM, API_KEY_LENGTH, API_KEY_PREFIXES } from '#core/log';
import { isUnderUrlKey } from '#server/url-key';
import { hasParser, leaveToParser, passToParser, readDirectly } from './direct-reads.ts';
import { hasBody, type RequestHead } from './request-head.ts';

/** The maximum number of cached heads, their maximum total size, and the maximum size of each, in bytes. */
const CACHED = { max: 1000, maxSize: 2 * 1024 * 1024, maxEntrySize: 4 * 1024 };
/** After this many consecutive requests that repeat no earlier request, only Node's parser reads the connection. */
const MAX_OTHERS = 32;
/** The initial value. The first request is parsed: otherwise, Node would cut the connection for lack of a head. */
const NEW = MAX_OTHERS + 1;
const READ_SIZE = 64 * 1024;
const END_OF_HEAD = '\r\n\r\n';
const KEY_PREFIX = API_KEY_PREFIXES.header;

/** How many more requests that repeat no earlier request may arrive. 0 if the parser may be within a request. */
const OTHERS_LEFT = Symbol('requests that may repeat no earlier request');
type Connection = Socket & { [OTHERS_LEFT]: number };

/** A head without the characters of its key after the prefix. The prefix shows where the key was. */
type SplitHead = { text: string; key: string };

/** A parsed head. The key is at the end of the field at index `at` of `rawHeaders`, after `scheme`. */
type ParsedHead = Omit<RequestHead, 'socket'> & { at: number; name: string; scheme: string };

/** The bytes that the parser is receiving, and the requests that it has found in them. `parsed` can be repeated. */
type Passed = {
  socket: Socket;
  head: SplitHead | undefined;
  requests: number;
  isPlain: boolean;
  parsed: ParsedHead | undefined;
};

function splitHead(bytes: Buffer, size: number): SplitHead | undefined {
  if (size > CACHED.maxEntrySize) return undefined;
  const text = bytes.toString('latin1', 0, size);
  const prefix = text.indexOf(KEY_PREFIX);
  if (prefix < 0) return undefined;
  const start = prefix + KEY_PREFIX.length;
  const end = prefix + API_KEY_LENGTH;
  const key = text.slice(prefix, end);
  // Other characters could end the field, and begin another field or request.
  return API_KEY_FORM.test(key) ? { text: text.slice(0, start) + text.slice(end), key } : undefined;
}

/** Returns undefined unless the head contains exactly one key, at the end of a field. */
function parsedHead(request: IncomingMessage, { text, key }: SplitHead): ParsedHead | undefined {
  const { method, url, headers, rawHeaders } = request;
  const isInRequestLine = text.indexOf(KEY_PREFIX) < text.indexOf('\r\n');
  const hasKey = (field: string) => field.includes(KEY_PREFIX);
  const at = rawHeaders.findIndex(hasKey);
  const name = rawHeaders[at - 1]?.toLowerCase() ?? '';
  const [scheme, rest] = rawHeaders[at]?.split(key) ?? [];
  if (scheme === undefined || rest !== '' || headers[name] !== scheme + key) return undefined;
  if (isInRequestLine || at !== rawHeaders.findLastIndex(hasKey)) return undefined;
  return { method, url, headers, rawHeaders, at, name, scheme };
}

type Options = {
  /** Whether no response is pending on a connection. */
  isIdle: (socket: Socket) => boolean;
  /** Responds immediately, without Node's HTTP server, or returns false. */
  respond: (request: RequestHead) => boolean;
};

/**
 * Responds to repeated requests without parsing them. If the parser expects a new request, bytes that equal an earlier
 * request except for the key are the same request with another key.
 */
export function createRepeatedRequests({ isIdle, respond }: Options) {
  const heads = new LRUCache<string, ParsedHead>({ ...CACHED, sizeCalculation: (_, text) => text.length });
  const buffer = Buffer.allocUnsafeSlow(READ_SIZE);
  let passed: Passed | undefined;

  function repeat(socket: Socket, { text, key }: SplitHead): boolean {
    const head = heads.peek(text);
    if (head === undefined || !hasParser(socket) || socket.writableLength > 0 || !isIdle(socket)) return false;
    const { method, url, at, name, scheme } = head;
    const field = scheme + key;
    const headers = { ...head.headers, [name]: field };
    return respond({ method, url, headers, rawHeaders: head.rawHeaders.with(at, field), socket });
  }

  /** Passes the bytes of a read to the parser. Returns whether the parser accepts more. */
  function pass(socket: Connection, size: number, head: SplitHead | undefined): boolean {
    const bytes = Buffer.from(buffer.subarray(0, size));
    // The fast path may be unable to respond to a repeated request, for example if its key is not cached.
    const isOther = socket[OTHERS_LEFT] === NEW || head === undefined || !heads.has(head.text);
    const found: Passed = { socket, head, requests: 0, isPlain: false, parsed: undefined };
    passed = found;
    const acceptsMore = passToParser(socket, bytes);
    passed = undefined;
    const isWhole = found.requests === 1 && found.isPlain && bytes.indexOf(END_OF_HEAD) === size - END_OF_HEAD.length;
    if (isWhole && head && found.parsed) heads.set(head.text, found.parsed);
    if (!isWhole) socket[OTHERS_LEFT] = 0;
    else if (isOther) socket[OTHERS_LEFT] = Math.max(0, socket[OTHERS_LEFT] - 1);
    if (socket[OTHERS_LEFT] === 0) leaveToParser(socket);
    return acceptsMore;
  }

  function onRead(this: Socket, size: number): boolean {
    const socket = this as Connection;
    const head = socket[OTHERS_LEFT] > 0 ? splitHead(buffer, size) : undefined;
    const isRepeated = head !== undefined && socket[OTHERS_LEFT] < NEW && repeat(socket, head);
    if (!isRepeated) return pass(socket, size, head);
    socket[OTHERS_LEFT] = MAX_OTHERS;
    return true;
  }

  return {
    readConnections(server: Server): void {
      server.prependListener('connection', (socket) => {
        Object.assign(socket, { [OTHERS_LEFT]: NEW });
        readDirectly(socket, buffer, onRead);
      });
    },

    /** Call this for every request that the parser has found. */
    note(request: IncomingMessage): void {
      if (passed?.socket !== request.socket) return;
      passed.requests += 1;
      const { method, headers } = request;
      passed.isPlain = method === 'GET' && !hasBody(request) && headers.upgrade === undefined;
    },

    /** Call this for a request to which the fast path has responded. */
    keep(request: IncomingMessage, { shouldKeepAlive }: ServerResponse): void {
      if (passed?.socket !== request.socket || !passed.head || !shouldKeepAlive) return;
      if (request.headers.expect !== undefined || isUnderUrlKey(request)) return;
      passed.parsed = parsedHead(request, passed.head);
    },
  };
}
