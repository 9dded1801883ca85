/**
 * Opens streams, and measures how long after a price was made each of its events arrives. Runs in a separate process.
 * The price of bitcoin is the time at which it was made, in Unix ms modulo 10^9, divided by 1,000.
 */
import { connect, type Socket } from 'node:net';
import { constants, setPriority } from 'node:os';

export type Order =
  | { do: 'open'; keys: readonly string[]; streams: number; stalled: number }
  | { do: 'attempt'; key: string; attempts: number }
  | { do: 'report' }
  | { do: 'close' };
export type Report = { open: number; refused: number; delays: number[] };

const { READERS_URL = '', READERS_TOKENS = '' } = process.env;
const { hostname, port } = new URL(READERS_URL);
/** How many connections are opened at once: the service accepts 128 in one turn. */
const AT_ONCE = 64;
const MODULUS = 1e9;
const PRICE = /"tokenName":"bitcoin"[^\n]*?"current_price":([\d.]+)/g;

// Real readers run on other machines. Here, they must not delay the client whose latency is measured.
setPriority(constants.priority.PRIORITY_LOW);

const sockets = new Set<Socket>();
let delays: number[] = [];
let [open, refused] = [0, 0];

/** Resolves when the head has arrived. A stalled reader reads nothing afterwards. */
function openOne(key: string, isStalled: boolean): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    sockets.add(socket);
    let isOpen = false;
    let rest = '';
    socket.setEncoding('latin1');
    socket.on('data', (piece) => {
      const text = rest + piece;
      if (!isOpen) {
        isOpen = true;
        if (text.startsWith('HTTP/1.1 200')) open += 1;
        else refused += 1;
        if (isStalled) socket.pause();
        resolve();
      }
      const end = text.lastIndexOf('\n') + 1;
      rest = text.slice(end);
      for (const [, price] of text.slice(0, end).matchAll(PRICE)) {
        const delay = (Date.now() % MODULUS) - Number(price) * 1000;
        if (delay >= 0 && delay < 60_000) delays.push(delay);
      }
    });
    socket.on('error', () => resolve());
    socket.on('close', () => {
      sockets.delete(socket);
      resolve();
    });
    socket.write(
      `GET /v1/prices/stream?tokenNames=${READERS_TOKENS} HTTP/1.1\r\nHost: ${hostname}\r\nX-API-KEY: ${key}\r\n\r\n`,
    );
  });
}

async function openMany(keys: readonly string[], isStalled: (i: number) => boolean): Promise<void> {
  for (let i = 0; i < keys.length; i += AT_ONCE)
    await Promise.all(keys.slice(i, i + AT_ONCE).map((key, j) => openOne(key, isStalled(i + j))));
}

process.on('message', async (order: Order) => {
  if (order.do === 'open') {
    const keys = Array.from({ length: order.streams }, (_, i) => order.keys[i % order.keys.length] as string);
    await openMany(keys, (i) => i < order.stalled);
  } else if (order.do === 'attempt') {
    await openMany(Array<string>(order.attempts).fill(order.key), () => false);
  } else if (order.do === 'close') {
    for (const socket of sockets) socket.destroy();
  }
  process.send?.({ open, refused, delays } satisfies Report);
  delays = [];
  if (order.do === 'close') [open, refused] = [0, 0];
});
process.on('disconnect', () => process.exit());
