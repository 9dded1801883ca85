import { type Service, startService } from '../support/service/service.ts';
import { startTestNode } from '../support/upstream/test-node.ts';

export const ADDRESS = 'kava17wcggpjx007uc09s8y4hwrj8f228mlwe0n0upn';
export const HASH = 'AB'.repeat(32);

/** Arguments for every tool. */
export const CALLS = [
  ['list_tokens', {}],
  ['get_latest_prices', { tokenNames: ['btc', 'ethereum'] }],
  ['get_price_on_date', { tokenName: 'eth', date: '2026-01-01', currency: 'jpy' }],
  ['get_price_history', { tokenName: 'solana', fromDate: '2026-01-01', thruDate: '2026-01-31' }],
  ['get_candles', { tokenName: 'bitcoin', fromDate: '2026-01-01', thruDate: '2026-01-31' }],
  ['get_chain_statistics', { token: 'btc' }],
  ['get_usage', {}],
  ['get_balances', { address: ADDRESS }],
  ['get_transaction', { hash: HASH }],
] as const satisfies readonly (readonly [string, object])[];

/** The service with a node that knows one transaction. The clock is that of the sandbox's data. */
export async function openMcpService(settings: Readonly<Record<string, string>> = {}) {
  const node = await startTestNode();
  node.state.known.set(HASH, { height: '5', txhash: HASH });
  const service: Service = await startService({
    settings: { NODE_URLS: node.url, BURST_PER_SECOND: '0', REGISTRATIONS_PER_MINUTE: '0', ...settings },
  });
  return {
    ...service,
    node,
    async close(): Promise<void> {
      await service.close();
      await node.close();
    },
  };
}

export type McpService = Awaited<ReturnType<typeof openMcpService>>;

/** The members and header fields that the current revision of the protocol requires. */
export const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'a', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
export const currentHeaders = (method: string, name?: string) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name !== undefined && { 'mcp-name': name }),
});

type Sent = { headers?: Record<string, string>; method?: string; signal?: AbortSignal };

/** Sends a message, or any other body, as a client of the 2025 revisions does. */
export function post(url: string, key: string | undefined, body: unknown, { headers, signal }: Sent = {}) {
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key && { 'x-api-key': key }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });
}

export type ToolResponse = {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown> & { source: string; asOf: string; remainingCalls: number };
};

let calls = 0;

/** Calls a tool. Throws for any other response than a result. */
export async function callTool(
  url: string,
  key: string,
  name: string,
  given: object = {},
  options?: Sent,
): Promise<ToolResponse> {
  calls += 1;
  const sent = calls;
  const message = { jsonrpc: '2.0', id: sent, method: 'tools/call', params: { name, arguments: given } };
  const response = await post(url, key, message, options);
  const text = await response.text();
  const { result, id } = JSON.parse(text) as { result?: ToolResponse; id?: number };
  if (response.status !== 200 || !result || id !== sent) throw new Error(`${response.status} ${text}`);
  return result;
}

/** Creates a key with some scopes for the user of an owner key. */
export async function keyWith(url: string, owner: string, scopes: string): Promise<string> {
  const query = new URLSearchParams({ label: scopes, scopes });
  const response = await fetch(`${url}/v1/user/keys?${query}`, { method: 'POST', headers: { 'x-api-key': owner } });
  return ((await response.json()) as { apiKey: string }).apiKey;
}
