import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { buildClient } from '../../../scripts/build-client.ts';
import { startService } from '../../support/service/service.ts';
import { DIALECTS } from './open.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The folder in which the code of the pages runs, next to its libraries. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quotient-pages-'));
  await symlink(join(ROOT, 'test/outside/node_modules'), join(folder, 'node_modules'), 'dir');
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await buildClient(join(folder, 'client'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The service in front of a chain that makes a block every 100 ms, an account with funds, and a recipient. */
async function open(dialect: 'legacy' | 'cosmos') {
  const service = await startService({
    sandbox: { node: { blockMs: 100 } },
    settings: ({ legacyNodeUrl, cosmosNodeUrl }) => ({
      NODE_URLS: dialect === 'legacy' ? legacyNodeUrl : cosmosNodeUrl,
      EXPLORER_TX_URL: 'https://explorer.example/tx/{hash}',
    }),
  });
  closing.push(service.close);
  const [from, to] = service.sandbox.chain.accounts;
  return { service, key: [...(from?.privateKey ?? [])], to: to?.address, apiKey: await service.register() };
}

/** Runs a page's code and a line that uses it. Returns the output. */
async function run(page: string, use: string): Promise<Record<string, unknown>> {
  const text = await readFile(join(ROOT, 'docs', page), 'utf8');
  const [, code = ''] = /^```ts\n(.*?)^```/ms.exec(text) ?? [];
  await writeFile(join(folder, 'page.ts'), code.replace("'quotient-client'", "'./client/index.js'"));
  await writeFile(join(folder, 'use.ts'), `import { send } from './page.ts';\n${use}`);
  const { stdout } = await promisify(execFile)(process.execPath, ['use.ts'], { cwd: folder });
  return JSON.parse(stdout);
}

test('the page on CosmJS: bytes are signed with the values that the service returns', async () => {
  const { service, key, to, apiKey } = await open('cosmos');
  const sent = await run(
    'sign-with-cosmjs.md',
    `import { DirectSecp256k1Wallet } from '@cosmjs/proto-signing';
     const wallet = await DirectSecp256k1Wallet.fromKey(Uint8Array.from(${JSON.stringify(key)}), 'cosmos');
     const service = { nodeUrl: '${service.url}/v1/node', apiKey: '${apiKey}' };
     const amount = { denom: 'uatom', amount: '12345' };
     console.log(JSON.stringify(await send(service, wallet, '${to}', amount)));`,
  );
  expect(Number(sent.height)).toBeGreaterThan(0);
  expect(sent.page).toBe(`https://explorer.example/tx/${sent.txhash}`);
  expect(service.sandbox.chain.transaction(String(sent.txhash))?.failure).toBeNull();
});

describe.each(DIALECTS)('the page on legacy wallets, in front of a %s node', (dialect) => {
  test('sends with only a URL', async () => {
    const { service, key, to, apiKey } = await open(dialect);
    const sent = await run(
      'legacy-wallets.md',
      `import { Secp256k1Wallet } from '@cosmjs/launchpad';
       const wallet = await Secp256k1Wallet.fromKey(Uint8Array.from(${JSON.stringify(key)}), 'cosmos');
       console.log(JSON.stringify(await send(new URL('${service.url}/'), '${apiKey}', wallet, '${to}', 12345)));`,
    );
    expect(sent).toMatchObject({ chainId: 'sandbox-1', at: expect.any(Number) });
    expect(service.sandbox.chain.transaction(String(sent.txhash))?.failure).toBeNull();
  });
});
