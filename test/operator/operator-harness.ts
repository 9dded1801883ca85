import type { AddressInfo } from 'node:net';
import { buildAdminApp } from '#admin-app';
import { startService } from '../support/service/service.ts';

export const TOKEN = 'an-admin-token-of-more-than-32-characters';

type Options = Parameters<typeof startService>[0] & {
  settings?: Readonly<Record<string, string>>;
  /** The folder with the built page. By default, no page is served. */
  pageFolder?: string;
};
type Sent = { method?: string; body?: unknown; headers?: Record<string, string>; token?: string | null };

/** Starts the service with its operator API. `operator` sends a request to the API, with the token. */
export async function startOperator({ settings, pageFolder, ...options }: Options = {}) {
  const service = await startService({ ...options, settings: { ADMIN_PORT: '0', ADMIN_TOKEN: TOKEN, ...settings } });
  const { admin } = service.parts.operator;
  if (!admin) throw new Error('the operator API is off');
  const app = await buildAdminApp({ ...service.parts, services: admin, pageFolder });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const adminUrl = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  async function send(path: string, { method = 'GET', body, headers = {}, token = TOKEN }: Sent = {}) {
    const response = await fetch(`${adminUrl}${path}`, {
      method,
      headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') && !text.includes('\n');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }

  return {
    ...service,
    adminUrl,
    send,
    /** Registers a user. */
    async user(email = 'ada@example.org', name = 'Ada Lovelace', plan = 'monthly') {
      const query = new URLSearchParams({ name, email, plan });
      const response = await fetch(`${service.url}/v1/user/create?${query}`, { method: 'POST' });
      return (await response.json()) as { key: number; apiKey: string; limit: number };
    },
    change: (path: string, body?: unknown) => send(`/admin/v1${path}`, { method: 'POST', body }),
    async close(): Promise<void> {
      await app.close();
      await service.close();
    },
  };
}

export type OperatorService = Awaited<ReturnType<typeof startOperator>>;
