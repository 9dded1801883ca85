import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../../docs/examples/blocks.ts';
import { openStand } from '../../docs/examples/stand.ts';
import { CALLS, type McpService, openMcpService, post, type ToolResponse } from '../../mcp/open.ts';

let service: McpService;
let key: string;
beforeAll(async () => {
  service = await openMcpService();
  key = await service.register();
});
afterAll(() => service?.close());

const HEADERS = [
  ['X-API-KEY', (key: string) => ({ 'X-API-KEY': key })],
  ['Bearer', (key: string) => ({ Authorization: `Bearer ${key}` })],
] as const;

const NAMES = CALLS.map(([name]) => name);
const INSPECTOR = 'test/outside/node_modules/.bin/mcp-inspector';

it('the list of tools has at most 3,000 tokens', async () => {
  const response = await post(service.url, key, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const { result } = (await response.json()) as { result: object };
  expect(countTokens(JSON.stringify(result))).toBeLessThanOrEqual(3000);
});

it('each example of the docs with the Inspector succeeds', async () => {
  const stand = await openStand();
  try {
    const blocks = (await stand.pages()).flatMap(({ page, markdown }) => blocksOf(page, markdown));
    const examples = blocks.filter(({ language, code }) => {
      return language === 'sh' && code.includes('@modelcontextprotocol/inspector');
    });
    expect(examples.length).toBeGreaterThan(0);
    for (const { code } of examples) {
      const installed = code.replaceAll('npx @modelcontextprotocol/inspector', resolve(INSPECTOR));
      const { exit, stdout, stderr } = await stand.runShell(await stand.personal(installed));
      expect(exit, stderr).toBe(0);
      expect(stdout).toContain('get_latest_prices');
      expect(stdout).toContain('"current_price"');
    }
  } finally {
    await stand.close();
  }
});

/** Expects a result with its origin. */
function check({ isError, content, structuredContent }: ToolResponse): void {
  expect(isError ?? false, JSON.stringify(content)).toBe(false);
  expect(structuredContent).toMatchObject({ source: expect.any(String), remainingCalls: expect.any(Number) });
  expect(structuredContent?.asOf).toMatch(/^\d{4}-\d\d-\d\dT/);
  expect(content[0]?.text).toContain(`Source: ${structuredContent?.source}`);
}

describe.each(HEADERS)('with the key as %s', (_, headersOf) => {
  const transport = () => ({ requestInit: { headers: headersOf(key) } });
  const url = () => new URL(`${service.url}/mcp`);

  // A connected client validates each result against the output schema of its tool.
  it.each(['auto', 'legacy'] as const)(
    'the client 2.x calls every tool, with the negotiation mode %s',
    async (mode) => {
      const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(url(), transport()));
      expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25');
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(NAMES);
      for (const [name, given] of CALLS) check((await client.callTool({ name, arguments: given })) as ToolResponse);
      await client.close();
    },
  );

  it('the SDK 1.x calls every tool', async () => {
    const client = new OldClient({ name: 'test', version: '1.0.0' });
    // The package's types do not agree with `exactOptionalPropertyTypes` of the transport interface.
    await client.connect(new OldTransport(url(), transport()) as Parameters<typeof client.connect>[0]);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(NAMES);
    for (const [name, given] of CALLS) check((await client.callTool({ name, arguments: given })) as ToolResponse);
    await client.close();
  });

  async function inspect(...args: string[]) {
    const [[name = '', value = '']] = Object.entries(headersOf(key)) as [[string, string]];
    const command = [INSPECTOR, '--cli', `${service.url}/mcp`, '--header', `${name}: ${value}`];
    const { stdout } = await promisify(execFile)(process.execPath, [...command, ...args]);
    return JSON.parse(stdout);
  }

  it('the command line of the Inspector lists and calls every tool, with exit code 0', async () => {
    const { tools } = await inspect('--method', 'tools/list');
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(NAMES);
    await Promise.all(
      CALLS.map(async ([name, given]) => {
        const pairs = Object.entries(given).map(([one, value]) => {
          return `${one}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
        });
        check(
          await inspect(
            '--method',
            'tools/call',
            '--tool-name',
            name,
            ...pairs.flatMap((pair) => ['--tool-arg', pair]),
          ),
        );
      }),
    );
  });

  it('the Inspector reports a refused call with another exit code', async () => {
    const refused = inspect(
      '--method',
      'tools/call',
      '--tool-name',
      'get_latest_prices',
      '--tool-arg',
      'tokenNames=["x"]',
    );
    await expect(refused).rejects.toMatchObject({ code: expect.any(Number) });
  });
});
