import { base64, keyOf, signedTxRaw } from '../fixtures/signing.ts';
import type { Environment } from './environment.ts';
import { freePort } from './free-port.ts';
import { openStand } from './stand.ts';
import { atMost, type Figure } from './table.ts';

/** A call is made so often: what ran each time belongs to it, and not to what happened to run beside it. */
const ROUNDS = 4;

/** Node's inspector of a process, by the part of its protocol that tells which functions ran. */
async function openCoverage(port: number) {
  const [{ webSocketDebuggerUrl }] = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
  const socket = new WebSocket(webSocketDebuggerUrl);
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  let last = 0;
  const send = (method: string, params = {}) =>
    new Promise<Taken>((resolve) => {
      const id = ++last;
      socket.addEventListener('message', function listen({ data }) {
        const answer = JSON.parse(data);
        if (answer.id !== id) return;
        socket.removeEventListener('message', listen);
        resolve(answer.result);
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
  await send('Profiler.enable');
  await send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    /** The files of the sources in which a function ran since it was last asked. */
    async files(): Promise<Set<string>> {
      const { result } = await send('Profiler.takePreciseCoverage');
      const ran = result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0].count > 0));
      return new Set(ran.flatMap(({ url }) => /\/((?:src|packages)\/(?!generated).*)$/.exec(url)?.[1] ?? []));
    },
    close: () => socket.close(),
  };
}
type Taken = { result: { url: string; functions: { ranges: [{ count: number }] }[] }[] };

/** How many files of the sources a call passes that no cache answers, and which: they are written to standard error. */
export async function measure(environment: Environment): Promise<Figure[]> {
  const stand = await openStand(environment);
  const { sandbox, key } = stand;
  const port = await freePort();
  const service = await stand.startService(
    { NODE_URLS: sandbox.cosmosNodeUrl, NODE_OPTIONS: `--inspect=127.0.0.1:${port}` },
    '../src/serve.ts',
  );
  const coverage = await openCoverage(port);

  async function call(path: string, body?: object): Promise<void> {
    const headers = { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) };
    const init = body && { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(service.url + path, { headers, ...init });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  }

  async function passed(make: (round: number) => Promise<void>): Promise<string[]> {
    let files: Set<string> | undefined;
    for (let round = 0; round < ROUNDS; round++) {
      await coverage.files();
      await make(round);
      const these = await coverage.files();
      files = files ? files.intersection(these) : these;
    }
    return [...(files ?? [])].sort();
  }

  const history = await passed((round) => call(`/v1/prices/history/days?tokenName=bitcoin&days=${300 + round}`));

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
  const broadcast = await passed((round) =>
    call('/v1/node/txs', { tx_bytes: base64(signed[round] as Uint8Array), mode: 'sync' }),
  );

  coverage.close();
  await service.close();
  await stand.close();
  for (const [name, files] of Object.entries({ history, broadcast })) {
    console.error(`${name}:\n${files.map((file) => `  ${file}`).join('\n')}`);
  }
  return [
    atMost('files that an uncached history/days passes', history.length, 40, 'files'),
    atMost('files that a broadcast passes', broadcast.length, 35, 'files'),
  ];
}
