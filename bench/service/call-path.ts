import { base64, keyOf, signedTxRaw } from '../../fixtures/signing.ts';
import { openInspector } from '../measuring/inspector.ts';
import { atMost, type Figure } from '../measuring/table.ts';
import type { Environment } from '../stand/environment.ts';
import { freePort } from '../stand/free-port.ts';
import { openStand } from '../stand/stand.ts';

/** The number of repetitions. A file counts only if it runs in all of them, which excludes background work. */
const ROUNDS = 4;

/** Measures a process's function coverage through its inspector. */
async function openCoverage(port: number) {
  const { send, close } = await openInspector(port);
  await send('Profiler.enable');
  await send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    /** The source files in which a function ran since the last call of `files`. */
    async files(): Promise<Set<string>> {
      const { result } = await send<Coverage>('Profiler.takePreciseCoverage');
      const ran = result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0].count > 0));
      return new Set(ran.flatMap(({ url }) => /\/((?:src|packages)\/(?!generated).*)$/.exec(url)?.[1] ?? []));
    },
    close,
  };
}
type Coverage = { result: { url: string; functions: { ranges: [{ count: number }] }[] }[] };

/** Counts the source files that an uncached call runs. Lists them on standard error. */
export async function measure(environment: Environment): Promise<Figure[]> {
  const stand = await openStand(environment);
  const { sandbox, key } = stand;
  const port = await freePort();
  const service = await stand.startService(
    { NODE_URLS: sandbox.cosmosNodeUrl, NODE_OPTIONS: `--inspect=127.0.0.1:${port}` },
    '../../src/serve.ts',
  );
  const coverage = await openCoverage(port);

  async function call(path: string, body?: object): Promise<void> {
    const headers = { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) };
    const init = body && { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(service.url + path, { headers, ...init });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  }

  async function filesRun(makeCall: (round: number) => Promise<void>): Promise<string[]> {
    let files: Set<string> | undefined;
    for (let round = 0; round < ROUNDS; round++) {
      await coverage.files();
      await makeCall(round);
      const these = await coverage.files();
      files = files ? files.intersection(these) : these;
    }
    return [...(files ?? [])].sort();
  }

  const history = await filesRun((round) => call(`/v1/prices/history/days?tokenName=bitcoin&days=${300 + round}`));

  const [from = '', to = ''] = sandbox.chain.accounts.map(({ address }) => address);
  const { result } = (await (await fetch(`${sandbox.legacyNodeUrl}/auth/accounts/${from}`)).json()) as {
    result: { value: { account_number: string; sequence: string } };
  };
  const { account_number, sequence } = result.value;
  const orders = Array.from({ length: ROUNDS }, (_, round) =>
    signedTxRaw(keyOf(sandbox), {
      ...{ to, accountNumber: Number(account_number), sequence: Number(sequence) + round },
    }),
  );
  const signed = await Promise.all(orders);
  const broadcast = await filesRun((round) =>
    call('/v1/node/txs', { tx_bytes: base64(signed[round] as Uint8Array), mode: 'sync' }),
  );

  coverage.close();
  await service.close();
  await stand.close();
  for (const [name, files] of Object.entries({ history, broadcast })) {
    console.error(`${name}:\n${files.map((file) => `  ${file}`).join('\n')}`);
  }
  return [
    atMost('source files that an uncached history/days runs', history.length, 40, 'files'),
    atMost('source files that a broadcast runs', broadcast.length, 35, 'files'),
  ];
}
