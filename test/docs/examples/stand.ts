import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { demoEnvironment } from '#cli/demo/demo-environment';
import { type Clock, systemClock } from '#core/clock';
import { startMailbox } from '#sandbox/mailbox';
import { type Document, published } from '../../../fixtures/published.ts';
import { startService } from '../../support/service/service.ts';

const PLACEHOLDER = 'https://quotient.example';
const BIN = resolve('node_modules/.bin');

/** The dates in the examples are in the past, and within the history of the sources. */
const START = Date.parse('2026-11-20T12:00:00Z');

/** The system clock, shifted. */
function clockFrom(start: number): Clock {
  const ahead = start - Date.now();
  return { ...systemClock, now: () => Date.now() + ahead };
}

/** The examples of the client and of pages on wallets import packages. Other tests run them. */
export const OTHER_TESTS = /from '(?:quotient-client|\.\/)|require\('quotient-client'\)/;

/** Whether a program for the examples is not installed. */
export const isMissing = (command: string, ...args: string[]) => spawnSync(command, args).status !== 0;

export type Output = { exit: number | null; stdout: string; stderr: string };

/** A service with the demo's settings, below a base path, and a folder for the files that examples write. */
export async function openStand() {
  const mailbox = await startMailbox(() => undefined);
  const folder = await mkdtemp(join(tmpdir(), 'quotient-examples-'));
  // curl reports the status of each response on stderr. A status of 400 or more is an error.
  await writeFile(
    join(folder, '.curlrc'),
    'silent\nshow-error\nfail-with-body\nwrite-out = "%{stderr}%{http_code}\\n"\n',
  );
  const service = await startService({
    clock: clockFrom(START),
    sandbox: { plan: 'pro', node: { blockMs: 50 } },
    settings: (sandbox) => {
      const standIns = { sandbox, dialect: 'cosmos' as const, mailUrl: mailbox.url, dataDir: '' };
      const given = {
        PORT: '0',
        BASE_PATH: '/market',
        REGISTRATIONS_PER_MINUTE: '0',
        WEBHOOK_ALLOW: '127.0.0.1',
        LOG_LEVEL: 'error',
      };
      const { DATABASE_URL: _, DATA_DIR: __, ...environment } = demoEnvironment(given, standIns).environment;
      return environment as Record<string, string>;
    },
  });
  const { origin } = new URL(service.url);
  const contract = published((await (await service.get('/openapi.json')).json()) as Document);

  const send = async (key: string, method: string, path: string, body?: object) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const response = await fetch(`${service.url}${path}`, { method, headers, body: body && JSON.stringify(body) });
    return response.json();
  };

  /** Creates a user with a second key, a URL key and a webhook. */
  async function createUser() {
    type Made = { id: number; apiKey: string };
    const key = await service.register();
    const other = (await send(key, 'POST', '/v1/user/keys?label=shop')) as Made;
    const inUrl = (await send(key, 'POST', '/v1/user/keys?label=sheet&url=true&dailyLimit=50')) as Made;
    // Nothing listens at the discard port.
    const notices = { email: true, webhookUrl: 'http://127.0.0.1:9/', thresholds: [80, 100] };
    await send(key, 'PUT', '/v1/user/notices', notices);
    return { key, other, inUrl };
  }
  const reader = await createUser();

  /** Returns an example with the values of a user instead of the placeholders: a new user if it changes the user. */
  async function personal(code: string, { isReading = false } = {}): Promise<string> {
    const { key, other, inUrl } = isReading ? reader : await createUser();
    const delivery = code.includes('/deliveries/')
      ? ((await send(key, 'POST', '/v1/user/webhook/test')) as { id: string }).id
      : '';
    const { address } = service.sandbox.chain.accounts[0] ?? {};
    return code
      .replaceAll(PLACEHOLDER, origin)
      .replaceAll('qt_key_with_scope_prices', other.apiKey)
      .replaceAll(/qt_(?:your_key|…)/g, key)
      .replaceAll('qu_…', inUrl.apiKey)
      .replaceAll('$KEY', key)
      .replaceAll(/\/keys\/7\b/g, `/keys/${other.id}`)
      .replaceAll(/(?<=\/deliveries\/)[0-9a-f-]{36}/g, delivery)
      .replaceAll(/\bcosmos1[a-z0-9]{38}\b/g, String(address));
  }

  /** Runs a program in the folder. With `until`, stops it when its output matches. */
  async function run(command: string, args: readonly string[], until?: RegExp, input = ''): Promise<Output> {
    const child = spawn(command, args, {
      cwd: folder,
      // A group, which also contains the programs that a shell starts.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, CURL_HOME: folder, PATH: [BIN, process.env.PATH].join(delimiter), PYTHONUNBUFFERED: '1' },
    });
    // A program may end before it has read its input.
    child.stdin.on('error', () => undefined).end(input);
    const output: Output = { exit: null, stdout: '', stderr: '' };
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      output.stderr += piece;
    });
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      output.stdout += piece;
      if (until?.test(output.stdout) && child.exitCode === null) process.kill(-(child.pid as number), 'SIGTERM');
    });
    output.exit = await new Promise((ended) => child.on('close', ended));
    return output;
  }

  return {
    service,
    document: contract.document,
    contract,
    run,
    personal,
    runShell: (code: string, until?: RegExp) => run('sh', ['-ec', code], until),
    runPython: (code: string, until?: RegExp) => run('python3', ['-c', code], until),
    runPythonWith: (code: string, input: string) => run('python3', ['-c', code], undefined, input),
    async runNode(code: string, until?: RegExp): Promise<Output> {
      await writeFile(join(folder, 'example.mjs'), code);
      return run(process.execPath, ['example.mjs'], until);
    },
    /** The Markdown version of each page that `/llms.txt` lists. */
    async pages(): Promise<{ page: string; markdown: string }[]> {
      const index = await (await service.get('/llms.txt')).text();
      const targets = [...index.matchAll(/\]\(\/market(\/docs[^)]*\.md)\)/g)].map(([, target]) => target ?? '');
      return Promise.all(targets.map(async (page) => ({ page, markdown: await (await service.get(page)).text() })));
    },
    async close(): Promise<void> {
      await service.close();
      await mailbox.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type Stand = Awaited<ReturnType<typeof openStand>>;
