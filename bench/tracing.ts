import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { compare } from './comparison.ts';
import type { Environment } from './environment.ts';
import { LATEST, openStand } from './stand.ts';
import { atLeast, type Figure, seen } from './table.ts';

const SHARE = '0.01';
const HISTORY = '/v1/prices/history/days?tokenName=bitcoin&days=365';

/** Accepts all exports. */
async function startCollector() {
  let exports = 0;
  const server = createServer((request, response) => {
    exports += 1;
    request.resume().once('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exports: () => exports,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Compares the rates without tracing, with a sampled share, and with all requests traced. `BENCH_BEFORE` names a built
 * checkout without the code for traces.
 */
export async function measure(environment: Environment): Promise<Figure[]> {
  const [stand, collector] = [await openStand(environment), await startCollector()];
  const traced = (sampler: string) =>
    stand.startService({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: sampler,
      OTEL_TRACES_SAMPLER_ARG: SHARE,
    });
  const { key } = stand;
  const off = await stand.startService();
  const sampled = await traced('parentbased_traceidratio');
  const all = await traced('always_on');
  const to = ({ url }: { url: string }, path: string, keys = [key]) => ({ url: url + path, keys });
  const figures: Figure[] = [];

  const tree = process.env.BENCH_BEFORE;
  if (tree !== undefined) {
    const stand = await openStand(environment, 1, tree);
    const before = await stand.startService();
    for (const [name, path] of [
      ['latest/token', LATEST],
      ['history/days?days=365', HISTORY],
    ] as const) {
      const [ratio = 0] = await compare(to(off, path), to(before, path, stand.keys));
      figures.push(atLeast(`${name}: tracing off, against the checkout without tracing`, ratio, 0.99));
    }
    await stand.close();
  }
  const [toOff = 0] = await compare(to(sampled, LATEST), to(off, LATEST));
  figures.push(atLeast('latest/token: 1 % sampled, against tracing off', toOff, 0.97));
  const [allToOff = 0] = await compare(to(all, LATEST), to(off, LATEST));
  figures.push(seen('latest/token: all traced, against tracing off', allToOff.toFixed(3)));
  figures.push(seen('exports meanwhile', String(collector.exports())));

  await stand.close();
  collector.close();
  return figures;
}
