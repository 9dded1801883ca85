import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { onCore } from '../../stand/service-process.ts';
import type { Order } from './caller.ts';
import type { Call } from './schedule.ts';

const CALLER = new URL('./caller.ts', import.meta.url).pathname;

/** Makes calls from a separate process, on the core that the service does not use. Returns the latencies in ms. */
async function execute(work: Order): Promise<number[]> {
  const child = spawn(...onCore(1, process.execPath, [CALLER]), { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  child.stdin.end(JSON.stringify(work));
  const printed = await text(child.stdout);
  const [code] = await exited;
  if (code !== 0) throw new Error('a call failed');
  return JSON.parse(printed) as number[];
}

/** Makes the calls of several streams concurrently. Returns the latencies of each stream in the order of its calls. */
export async function callAll<Name extends string>(
  url: string,
  warmUp: readonly string[],
  streams: Readonly<Record<Name, readonly Call[]>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(streams) as Name[];
  const calls = names
    .flatMap((name) => streams[name].map((call, i) => ({ ...call, name, i })))
    .sort((a, b) => a.at - b.at);
  const took = await execute({ url, warmUp, calls: calls.map(({ at, key }) => ({ at, key })) });
  const result = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  calls.forEach(({ name, i }, n) => {
    result[name][i] = took[n] as number;
  });
  return result;
}
