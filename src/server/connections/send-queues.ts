import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Linux lists the connections of the network namespace here, with the bytes that the peer has not acknowledged. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** The local and remote addresses, and the length of the send queue, of connections with a queue. */
const QUEUED = /: (\w+:\w+) (\w+:\w+) \w\w (?!00000000)(\w{8}):/g;

/** An address and a port as in the tables: words of four bytes, in the order of a little-endian processor. */
function listed(address: string | undefined, port: number | undefined): string {
  if (address === undefined || port === undefined || !ipaddr.isValid(address)) return '';
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray());
  return `${bytes.swap32().toString('hex')}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}

export const connectionName = (socket: Socket): string =>
  `${listed(socket.localAddress, socket.localPort)} ${listed(socket.remoteAddress, socket.remotePort)}`;

/** The bytes in the kernel's send queues by connection, without empty ones. Only on Linux; otherwise empty. */
export async function readSendQueues(): Promise<ReadonlyMap<string, number>> {
  const queues = new Map<string, number>();
  for (const table of TABLES) {
    const text = await readFile(table, 'latin1').catch(() => '');
    for (const [, local, remote, bytes = '0'] of text.matchAll(QUEUED))
      queues.set(`${local} ${remote}`, Number.parseInt(bytes, 16));
  }
  return queues;
}
