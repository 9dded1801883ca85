import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type UpstreamCall = {
  method: string;
  /** The target as it was received. */
  url: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  body: string;
};
export type FakeResponse = { status?: number; headers?: Record<string, string>; body: string | Buffer };
/** Returns a reply, or handles the response itself and returns undefined. */
export type Script = (call: UpstreamCall, response: ServerResponse) => FakeResponse | undefined;

/** Starts an upstream on 127.0.0.1 that responds as scripted. `calls` lists its requests, oldest first. */
export async function startUpstreamServer(script: Script) {
  const calls: UpstreamCall[] = [];
  let current = script;
  const server = createServer(async (request, response) => {
    const url = new URL(`http://upstream${request.url}`);
    const call = {
      method: request.method ?? 'GET',
      url: request.url ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: await text(request),
    };
    calls.push(call);
    const fake = current(call, response);
    if (!fake) return;
    response.writeHead(fake.status ?? 200, {
      'content-type': 'application/json; charset=utf-8',
      ...fake.headers,
    });
    response.end(fake.body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: calls as readonly UpstreamCall[],
    /** Replaces the script. */
    follow(next: Script): void {
      current = next;
    },
    close(): Promise<void> {
      return new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      });
    },
  };
}

export type UpstreamServer = Awaited<ReturnType<typeof startUpstreamServer>>;
