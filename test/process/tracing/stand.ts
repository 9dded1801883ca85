import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startSandbox } from '#sandbox/server';
import { createTestDatabase } from '../../support/database/database.ts';
import { startMailServer } from '../../support/mail/mail-server.ts';
import { startServiceProcess } from '../../support/service/service-process.ts';

/** Forwards every request to an origin, and records its headers. */
async function startProxy(origin: string) {
  const received: IncomingHttpHeaders[] = [];
  const server = createServer((incoming, response) => {
    const { method, headers } = incoming;
    received.push(headers);
    const outgoing = request(origin + incoming.url, { method, headers }, (forwarded) => {
      response.writeHead(forwarded.statusCode ?? 502, forwarded.headers);
      forwarded.pipe(response);
    });
    incoming.pipe(outgoing);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    port: (server.address() as AddressInfo).port,
    received,
    close(): Promise<void> {
      return new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      });
    },
  };
}

/** Processes of the service with a database, stand-ins for all upstreams behind a proxy, and a mail server. */
export async function openTracingStand() {
  const database = await createTestDatabase();
  const sandbox = await startSandbox();
  const origin = new URL(sandbox.coingeckoUrl).origin;
  const proxy = await startProxy(origin);
  const mailServer = await startMailServer({ login: 'mailer:mail-secret' });
  const proxied = (url: string) => url.replace(origin, `http://127.0.0.1:${proxy.port}`);
  const withPassword = new URL(database.url);
  withPassword.password = 'database-secret';

  const env = {
    DATABASE_URL: withPassword.href,
    COINGECKO_URL: proxied(sandbox.coingeckoUrl),
    COINGECKO_API_KEY: 'CG-secret',
    COINGECKO_PLAN: 'demo',
    KRAKEN_URL: proxied(sandbox.krakenUrl),
    NODE_URLS: proxied(sandbox.cosmosNodeUrl).replace('http://', 'http://node:node-secret@'),
    SMTP_URL: mailServer.url,
    MAIL_FROM: 'quotient@example.org',
    PUBLIC_URL: 'https://quotient.example.org',
  };
  const opened: { kill(): Promise<void> }[] = [];

  return {
    sandbox,
    mailServer,
    /** The headers of all requests to upstreams. */
    received: proxy.received,
    secrets: ['database-secret', 'CG-secret', 'node-secret', 'mail-secret'],

    async start(own: Readonly<Record<string, string>>, args?: string[]) {
      const service = await startServiceProcess({ ...env, ...own }, args);
      opened.push(service);
      return {
        ...service,
        get: (path: string, headers: Record<string, string> = {}) => fetch(service.url + path, { headers }),
        post: (path: string, body?: string, headers: Record<string, string> = {}) =>
          fetch(service.url + path, {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...headers },
            ...(body !== undefined && { body }),
          }),
      };
    },

    async close(): Promise<void> {
      for (const one of opened) await one.kill();
      await mailServer.close();
      await proxy.close();
      await sandbox.close();
      await database.drop();
    },
  };
}

export type TracingStand = Awaited<ReturnType<typeof openTracingStand>>;
