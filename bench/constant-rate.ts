/**
 * Calls a URL at a constant rate, whatever becomes of the answers, and prints how long they took as JSON (µs).
 *
 * A call's time begins when it was due, not when it could be sent: so a server that holds one answer back answers for
 * all that were due meanwhile. The loop spins instead of sleeping, since a timer's millisecond is longer than an answer.
 */
import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';

export type Order = { url: string; key?: string; rate: number; seconds: number; connections: number };
export type Latencies = { calls: number; p50: number; p99: number };

const { url, key, rate, seconds, connections } = JSON.parse(process.argv[2] ?? '') as Order;
const { hostname, port, pathname, search } = new URL(url);
const text = `GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\n${key ? `X-API-KEY: ${key}\r\n` : ''}\r\n`;
/** What is not answered so long after the end is not waited for, in ms. */
const PATIENCE = 2_000;
const HEAD_END = '\r\n\r\n';

const histogram = createHistogram();
const took = (ms: number) => histogram.record(Math.max(1, Math.round(ms * 1000)));

type Connection = { socket: Socket; dueAt: number; received: Buffer | undefined };
const free: Connection[] = [];
let calls = 0;

/** How long the answer at the beginning of these bytes is; undefined while its head is not whole. */
function lengthOf(bytes: Buffer): number | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(`refused: ${head.slice(0, head.indexOf('\r'))}`);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error('an answer without a length');
  return headEnd + HEAD_END.length + Number(length);
}

async function open(): Promise<Connection> {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await new Promise<void>((connected, failed) => socket.once('connect', connected).once('error', failed));
  const connection: Connection = { socket, dueAt: 0, received: undefined };
  socket.on('data', (chunk: Buffer) => {
    const bytes = connection.received ? Buffer.concat([connection.received, chunk]) : chunk;
    const length = lengthOf(bytes);
    if (length === undefined || bytes.length < length) {
      connection.received = bytes;
      return;
    }
    connection.received = undefined;
    took(performance.now() - connection.dueAt);
    calls += 1;
    free.push(connection);
  });
  return connection;
}

const opened = await Promise.all(Array.from({ length: connections }, open));
free.push(...opened);
const gap = 1000 / rate;
const startedAt = performance.now();
const endsAt = startedAt + seconds * 1000;
let due = startedAt;

function turn(): void {
  const now = performance.now();
  while (due <= now && due < endsAt) {
    const connection = free.pop();
    if (!connection) break;
    connection.dueAt = due;
    connection.socket.write(text, 'latin1');
    due += gap;
  }
  const isOver = due >= endsAt && free.length === connections;
  if (isOver || now > endsAt + PATIENCE) finish(now);
  else setImmediate(turn);
}

/** What was due and never answered took until now. */
function finish(now: number): void {
  for (const connection of opened) if (!free.includes(connection)) took(now - connection.dueAt);
  for (; due < endsAt; due += gap) took(now - due);
  const latencies: Latencies = { calls, p50: histogram.percentile(50), p99: histogram.percentile(99) };
  console.log(JSON.stringify(latencies));
  process.exit();
}

turn();
