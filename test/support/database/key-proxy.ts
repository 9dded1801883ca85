import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** The forwarded requests: the request line and the response status. */
type Passed = { method: string; path: string; status: number };

/**
 * Adds a user's key to every request, for a client that does not support keys, and forwards it to a path below
 * `target`. For a client of a node, `url` is the node's base URL.
 */
export async function startKeyProxy(target: string, key: string) {
  const passed: Passed[] = [];

  async function forward(request: IncomingMessage): Promise<Response> {
    const { method = 'GET', url = '/' } = request;
    const body = method === 'POST' ? await buffer(request) : null;
    const type = request.headers['content-type'] ?? 'application/json';
    const headers = { 'x-api-key': key, ...(body && { 'content-type': type }) };
    const forwarded = await fetch(`${target}${url}`, { method, headers, ...(body && { body }) });
    passed.push({ method, path: url.split('?')[0] ?? '', status: forwarded.status });
    return forwarded;
  }

  const server = createServer((request, response) => {
    forward(request)
      .then(async (forwarded) => {
        const body = Buffer.from(await forwarded.arrayBuffer());
        response.writeHead(forwarded.status, { 'content-type': forwarded.headers.get('content-type') ?? '' });
        response.end(body);
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed: passed as readonly Passed[],
    close(): Promise<void> {
      return new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      });
    },
  };
}
