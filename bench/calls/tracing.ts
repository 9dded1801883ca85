import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { compare, compareProcesses } from '../measuring/comparison.ts';
import { atLeast, type Figure, seen } from '../measuring/table.ts';
import type { Environment } from '../stand/environment.ts';
import type { Server } from '../stand/service-process.ts';
import { LATEST, openStand } from '../stand/stand.ts';

const SHARE = '0.01';

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

/** Compares the rates without tracing, with a sampled share, and with all requests traced. */
export async function measure(environment: Environment): Promise<Figure[]> {
  const [stand, collector] = [await openStand(environment), await startCollector()];
  const traced = (sampler: string) =>
    stand.startService({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: sampler,
      OTEL_TRACES_SAMPLER_ARG: SHARE,
    });
  const { key } = stand;
  const to = ({ url }: Server) => ({ url: url + LATEST, keys: [key] });
  const figures: Figure[] = [];

  const pairs: [Server, Server][] = [];
  for (let i = 0; i < 3; i++) pairs.push([await traced('parentbased_traceidratio'), await stand.startService()]);
  const toOff = await compareProcesses(pairs.map(([sampled, off]) => [to(sampled), to(off)]));
  figures.push(atLeast('latest/token: 1 % sampled, against tracing off', toOff, 0.97));
  const [[, off]] = pairs as [[Server, Server]];
  const [allToOff = 0] = await compare(to(await traced('always_on')), to(off));
  figures.push(seen('latest/token: all traced, against tracing off', allToOff.toFixed(3)));
  figures.push(seen('exports meanwhile', String(collector.exports())));

  await stand.close();
  collector.close();
  return figures;
}
