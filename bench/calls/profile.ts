import { cpuTimeDuring } from '../measuring/cpu-time.ts';
import { type Inspector, openInspector } from '../measuring/inspector.ts';
import { load } from '../measuring/load.ts';
import { type Figure, seen } from '../measuring/table.ts';
import type { Environment } from '../stand/environment.ts';
import { freePort } from '../stand/free-port.ts';
import type { Server } from '../stand/service-process.ts';
import { LATEST, openStand } from '../stand/stand.ts';

const WARM_UP_SECONDS = 4;
const SECONDS = 8;
const SAMPLING_INTERVAL_US = 200;
const SAMPLING_INTERVAL_BYTES = 8192;

type Frame = { functionName: string; url: string };
type CpuProfile = {
  nodes: readonly { id: number; callFrame: Frame }[];
  samples: readonly number[];
  /** In µs, one for each sample. */
  timeDeltas: readonly number[];
};
type AllocationNode = { callFrame: Frame; selfSize: number; children: readonly AllocationNode[] };

const SOCKETS = /^node:(net|stream|tls|dgram|internal\/(streams|stream_base|net|js_stream))/;
const IN_THE_ENGINE: Readonly<Record<string, string>> = {
  '(garbage collector)': 'garbage collection',
  '(program)': 'event loop and HTTP parser, in C and C++',
};

/** The place of a function: a folder of the service, a library, a part of Node, or the engine. */
function placeOf({ functionName, url }: Frame): string {
  const [, library] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (library) return /fastify|find-my-way|light-my-request|avvio/.test(library) ? 'Fastify' : 'other libraries';
  const [, folder] = /\/(?:build|src)\/([^/]+)\//.exec(url) ?? [];
  if (folder) return `service: ${folder}`;
  if (/^node:(_http|http|internal\/(http|freelist))/.test(url)) return 'Node: HTTP';
  if (SOCKETS.test(url)) return 'Node: sockets and streams';
  if (url.startsWith('node:')) return 'Node: rest';
  if (url !== '') return 'service: rest';
  return IN_THE_ENGINE[functionName] ?? 'functions in C++, including the writes';
}

function add(sums: Map<string, number>, frame: Frame, amount: number): void {
  const place = placeOf(frame);
  sums.set(place, (sums.get(place) ?? 0) + amount);
}

/** The time in µs by place. */
async function timesDuring(inspector: Inspector, run: () => Promise<unknown>): Promise<Map<string, number>> {
  await inspector.send('Profiler.enable');
  await inspector.send('Profiler.setSamplingInterval', { interval: SAMPLING_INTERVAL_US });
  await inspector.send('Profiler.start');
  await run();
  const { profile } = await inspector.send<{ profile: CpuProfile }>('Profiler.stop');
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const sums = new Map<string, number>();
  for (const [index, id] of profile.samples.entries()) {
    const frame = frames.get(id);
    if (frame && frame.functionName !== '(idle)') add(sums, frame, profile.timeDeltas[index] ?? 0);
  }
  return sums;
}

/** The allocated bytes by place. */
async function allocationsDuring(inspector: Inspector, run: () => Promise<unknown>): Promise<Map<string, number>> {
  await inspector.send('HeapProfiler.enable');
  await inspector.send('HeapProfiler.startSampling', {
    samplingInterval: SAMPLING_INTERVAL_BYTES,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  await run();
  const { profile } = await inspector.send<{ profile: { head: AllocationNode } }>('HeapProfiler.stopSampling');
  const sums = new Map<string, number>();
  const visit = ({ callFrame, selfSize, children }: AllocationNode): void => {
    add(sums, callFrame, selfSize);
    for (const child of children) visit(child);
  };
  visit(profile.head);
  return sums;
}

/** Profiles a server under load: the time and the allocations per call by place, largest first. */
async function profile(name: string, server: Server, port: number, url: string, keys: string[]): Promise<Figure[]> {
  const inspector = await openInspector(port);
  await load({ url, keys, seconds: WARM_UP_SECONDS });
  let calls = 0;
  const run = async () => {
    calls = (await load({ url, keys, seconds: SECONDS })) * SECONDS;
  };
  const [user, kernel] = (await cpuTimeDuring(server, run)).map((time) => time / calls);
  const times = await timesDuring(inspector, run);
  const timed = calls;
  const allocations = await allocationsDuring(inspector, run);
  const allocated = calls;
  inspector.close();

  const row = (place: string, us: number, bytes: number) =>
    seen(`${name}: ${place}`, `${us.toFixed(2)} µs, ${bytes.toFixed(0)} B`);
  const places = [...times.keys()].sort((one, other) => (times.get(other) ?? 0) - (times.get(one) ?? 0));
  return [
    seen(`${name}: CPU time without profiling, in user mode`, `${user?.toFixed(1)} µs`),
    seen(`${name}: CPU time without profiling, in the kernel`, `${kernel?.toFixed(1)} µs`),
    ...places.map((place) => row(place, (times.get(place) ?? 0) / timed, (allocations.get(place) ?? 0) / allocated)),
  ];
}

/** Where the time of a call of `latest/token` goes, with both databases and for bare Fastify. */
export async function measure({ databaseServer }: Environment): Promise<Figure[]> {
  const figures: Figure[] = [];
  const inspected = (port: number) => ({ NODE_OPTIONS: `--inspect=127.0.0.1:${port}` });
  for (const server of databaseServer === undefined ? [undefined] : [databaseServer, undefined]) {
    const stand = await openStand({ databaseServer: server });
    const [port, barePort] = [await freePort(), await freePort()];
    const service = await stand.startService(inspected(port));
    const url = `${service.url}${LATEST}`;
    const name = server === undefined ? 'embedded' : 'PostgreSQL';
    figures.push(...(await profile(name, service, port, url, [stand.key])));
    if (server === undefined) {
      const bare = await (await stand.baselinesOf(url)).plain(inspected(barePort));
      figures.push(...(await profile('bare Fastify', bare, barePort, `${bare.url}/`, [])));
    }
    await stand.close();
  }
  return figures;
}
