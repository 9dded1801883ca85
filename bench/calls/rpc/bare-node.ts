/** A stand-in for a node: every call returns the same response, or one without an end if its method is `block_results`. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const value = Buffer.alloc(240, 7).toString('base64');
const response = {
  code: 0,
  log: '',
  info: '',
  index: '0',
  key: null,
  value,
  proofOps: null,
  height: '1',
  codespace: '',
};
const STATUS = { node_info: { network: 'bench-1', version: '0.38.12' }, sync_info: { latest_block_height: '1' } };
const answer = (result: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, result });
const [query, status] = [answer({ response }), answer(STATUS)];
const PIECE = Buffer.alloc(64 * 1024, 'x');

function writeEndlessly(reply: ServerResponse): void {
  reply.write('{"jsonrpc":"2.0","id":1,"result":"');
  const more = () => {
    if (!reply.destroyed) reply.write(PIECE, more);
  };
  more();
}

const server = createServer(async (request, reply) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  reply.setHeader('content-type', 'application/json');
  if (body.includes('block_results')) writeEndlessly(reply);
  else reply.end(body.includes('"status"') ? status : query);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on('SIGTERM', () => process.exit());
