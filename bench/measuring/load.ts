import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { onCore } from '../stand/service-process.ts';

export type Load = {
  url: string;
  keys: readonly string[];
  seconds: number;
  connections?: number;
  br?: boolean;
  /** A JSON text, which is sent with POST. */
  body?: string;
};

export const hasWrk = spawnSync('wrk', ['-v']).error === undefined;

/** Rotates through the keys. The requests are built before the load starts, because building them takes time. */
const rotatingKeys = (keys: readonly string[]): string => `local keys = {${keys.map((key) => `"${key}"`).join(',')}}
local requests = {}
local n = 0
function init()
  for i, key in ipairs(keys) do
    wrk.headers["X-API-KEY"] = key
    requests[i] = wrk.format()
  end
end
function request()
  n = n % #requests + 1
  return requests[n]
end
`;

/** The shortest and the longest pause of a connection between a response and the next call, in ms. */
const [SHORTEST, LONGEST] = [5, 15];

/** Makes calls even if the server has not responded to earlier ones. Prints the latencies in µs. */
const OPEN_LOOP = `function delay() return math.random(${SHORTEST}, ${LONGEST}) end
function done(_, latency) print("p50 " .. latency:percentile(50) .. " p99 " .. latency:percentile(99)) end
`;

/** Stops sending requests after a number of seconds, and waits for pending responses. */
const endingAfter = (seconds: number) => `local ffi = require("ffi")
ffi.cdef("typedef struct { long s, us; } instant; int gettimeofday(instant *now, void *zone);")
local read = ffi.new("instant")
local function now()
  ffi.C.gettimeofday(read, nil)
  return tonumber(read.s) + tonumber(read.us) / 1e6
end
local ends
function delay()
  ends = ends or now() + ${seconds}
  return now() < ends and 0 or 3600000
end
`;
/** How long this load waits for the last responses, in seconds. */
const LAST_RESPONSES = 3;

async function output(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  return text;
}

const postOf = (body: string): string => `wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = ${JSON.stringify(body)}
`;

/** Runs wrk and returns its output. */
async function wrk({ url, keys, seconds, connections = 32, br, body }: Load, given = ''): Promise<string> {
  const script = (body === undefined ? '' : postOf(body)) + given;
  const directory = await mkdtemp(join(tmpdir(), 'quotient-bench-'));
  const file = join(directory, 'script.lua');
  await writeFile(file, keys.length > 1 ? rotatingKeys(keys) + script : script);
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', file];
  if (br) args.push('-H', 'Accept-Encoding: br');
  if (keys.length === 1) args.push('-H', `X-API-KEY: ${keys[0]}`);
  const text = await output(...onCore(1, 'wrk', [...args, url]));
  await rm(directory, { recursive: true });
  const rejected = /Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1];
  if (rejected) throw new Error(`${rejected} calls were rejected`);
  return text;
}

/** The number that follows `words` in `text`, or NaN. */
const after = (words: string, text: string): number =>
  Number(text.split(words)[1]?.trimStart().split(/\s/)[0] ?? Number.NaN);

const withWrk = async (load: Load): Promise<number> => after('Requests/sec:', await wrk(load));

export type Latencies = { p50: number; p99: number; rate: number };

/**
 * The latencies (µs) at about `rate` calls per second, over so many connections that calls do not wait for each other.
 * Requires wrk, which corrects for calls that a slow response has delayed.
 */
export async function latencies(load: Load, rate: number): Promise<Latencies> {
  const connections = Math.round((rate * (SHORTEST + LONGEST)) / 2 / 1000);
  const text = await wrk({ ...load, connections }, OPEN_LOOP);
  return { p50: after('p50', text), p99: after('p99', text), rate: after('Requests/sec:', text) };
}

/** The number of responses to all calls of a load, including calls that are pending at its end. Requires wrk. */
export async function countResponses(load: Load): Promise<number> {
  const text = await wrk({ ...load, seconds: load.seconds + LAST_RESPONSES }, endingAfter(load.seconds));
  return Number(/(\d+) requests in/.exec(text)?.[1] ?? Number.NaN);
}

async function withAutocannon({ url, keys, seconds, connections = 32, br, body }: Load): Promise<number> {
  const encoding: Record<string, string> = br ? { 'accept-encoding': 'br' } : {};
  const post = body !== undefined && { method: 'POST' as const, body };
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const requests = keys.map((key) => ({ ...post, headers: { 'x-api-key': key, ...type, ...encoding } }));
  // autocannon fails on an empty list, and the baseline servers need no key.
  const rotation = requests.length > 0 && { requests };
  const result = await autocannon({ url, connections, duration: seconds, headers: encoding, ...rotation });
  if (result.non2xx > 0) throw new Error(`${result.non2xx} calls were rejected`);
  return result.requests.average;
}

/** The number of responses per second. Each connection sends the next request immediately after a response. */
export const load = hasWrk ? withWrk : withAutocannon;
