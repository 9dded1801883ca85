import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';

const TYPES: Record<number, (address: string) => boolean> = { 1: isIPv4, 28: (address) => !isIPv4(address) };

const bytesOf = (address: string): Buffer => {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const missing = Array<string>(8 - groups(head).length - groups(tail).length).fill('0');
  const all = [...groups(head), ...(address.includes('::') ? missing : []), ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
};

/**
 * Starts a name server (RFC 1035) that responds to every address query with the addresses that `resolve` returns for
 * the name. If `resolve` returns undefined, the server does not respond.
 */
export async function startNameServer(resolve: (name: string) => readonly string[] | undefined) {
  const socket = createSocket('udp4');
  socket.on('message', (query, { address, port }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const isOfType = TYPES[query.readUInt16BE(at + 1)];
    const addresses = resolve(labels.join('.'));
    if (!addresses || !isOfType) return;
    const records = addresses.filter(isOfType).map((one) => {
      const data = bytesOf(one);
      const head = Buffer.from([0xc0, 0x0c, 0, query.readUInt16BE(at + 1), 0, 1, 0, 0, 0, 0, 0, data.length]);
      return Buffer.concat([head, data]);
    });
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([header, query.subarray(12, at + 5), ...records]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');

  return {
    /** The address and the port, as `address:port`. */
    at: `127.0.0.1:${socket.address().port}`,
    close: () => new Promise<void>((done) => socket.close(() => done())),
  };
}
