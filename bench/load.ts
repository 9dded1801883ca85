import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { onCore } from './service-process.ts';

export type Load = {
  url: string;
  keys: readonly string[];
  seconds: number;
  connections?: number;
  br?: boolean;
};

export const hasWrk = spawnSync('wrk', ['-v']).error === undefined;

/** Requests with one key after another, made before the load begins: making them on the way would be felt. */
const oneAfterAnother = (keys: readonly string[]): string => `local keys = {${keys.map((key) => `"${key}"`).join(',')}}
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

/** How long a connection waits between an answer and its next call, in ms. */
const [SHORTEST, LONGEST] = [5, 15];

/** Calls that come by the clock and not when the server is ready for them; prints how long they took, in µs. */
const BY_THE_CLOCK = `function delay() return math.random(${SHORTEST}, ${LONGEST}) end
function done(_, latency) print("p50 " .. latency:percentile(50) .. " p99 " .. latency:percentile(99)) end
`;

/** Nothing more is asked after so many seconds, and what was asked is answered. */
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
/** How long after its end the last answers of such a load may take, in seconds. */
const LAST_ANSWERS = 3;

async function output(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  return text;
}

/** What wrk prints. */
async function wrk({ url, keys, seconds, connections = 32, br }: Load, script = ''): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'quotient-bench-'));
  const file = join(directory, 'script.lua');
  await writeFile(file, keys.length > 1 ? oneAfterAnother(keys) + script : script);
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', file];
  if (br) args.push('-H', 'Accept-Encoding: br');
  if (keys.length === 1) args.push('-H', `X-API-KEY: ${keys[0]}`);
  const text = await output(...onCore(1, 'wrk', [...args, url]));
  await rm(directory, { recursive: true });
  const refused = /Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1];
  if (refused) throw new Error(`${refused} calls were refused`);
  return text;
}

/** The number after some words in a text; NaN where they are not in it. */
const after = (words: string, text: string): number =>
  Number(text.split(words)[1]?.trimStart().split(/\s/)[0] ?? Number.NaN);

const withWrk = async (load: Load): Promise<number> => after('Requests/sec:', await wrk(load));

export type Latencies = { p50: number; p99: number; rate: number };

/**
 * How long answers take (µs) at about so many calls a second, from so many connections that each call does not wait
 * for the others. With wrk alone, which adds the calls that a slow answer kept from being made.
 */
export async function latencies(load: Load, rate: number): Promise<Latencies> {
  const connections = Math.round((rate * (SHORTEST + LONGEST)) / 2 / 1000);
  const text = await wrk({ ...load, connections }, BY_THE_CLOCK);
  return { p50: after('p50', text), p99: after('p99', text), rate: after('Requests/sec:', text) };
}

/** How many answers there were to so many seconds of calls, none of which was left without one. With wrk alone. */
export async function countAnswers(load: Load): Promise<number> {
  const text = await wrk({ ...load, seconds: load.seconds + LAST_ANSWERS }, endingAfter(load.seconds));
  return Number(/(\d+) requests in/.exec(text)?.[1] ?? Number.NaN);
}

async function withAutocannon({ url, keys, seconds, connections = 32, br }: Load): Promise<number> {
  const encoding: Record<string, string> = br ? { 'accept-encoding': 'br' } : {};
  const requests = keys.map((key) => ({ headers: { 'x-api-key': key, ...encoding } }));
  // autocannon fails on an empty list: the servers for comparison need no key.
  const own = requests.length > 0 && { requests };
  const result = await autocannon({ url, connections, duration: seconds, headers: encoding, ...own });
  if (result.non2xx > 0) throw new Error(`${result.non2xx} calls were refused`);
  return result.requests.average;
}

/** Answers a second, over so many connections that ask again at once. */
export const load = hasWrk ? withWrk : withAutocannon;
