import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
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
async function script(keys: readonly string[]): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'quotient-bench-')), 'keys.lua');
  const text = `local keys = {${keys.map((key) => `"${key}"`).join(',')}}
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
  await writeFile(file, text);
  return file;
}

async function output(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  return text;
}

async function withWrk({ url, keys, seconds, connections = 32, br }: Load): Promise<number> {
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`];
  if (br) args.push('-H', 'Accept-Encoding: br');
  if (keys.length === 1) args.push('-H', `X-API-KEY: ${keys[0]}`);
  else if (keys.length > 1) args.push('-s', await script(keys));
  const text = await output(...onCore(1, 'wrk', [...args, url]));
  const refused = /Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1];
  if (refused) throw new Error(`${refused} calls were refused`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]);
}

async function withAutocannon({ url, keys, seconds, connections = 32, br }: Load): Promise<number> {
  const encoding: Record<string, string> = br ? { 'accept-encoding': 'br' } : {};
  const requests = keys.map((key) => ({ headers: { 'x-api-key': key, ...encoding } }));
  const result = await autocannon({ url, connections, duration: seconds, requests, headers: encoding });
  if (result.non2xx > 0) throw new Error(`${result.non2xx} calls were refused`);
  return result.requests.average;
}

/** Answers a second, over so many connections that ask again at once. */
export const load = hasWrk ? withWrk : withAutocannon;
