import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { EventSource } from 'eventsource';

/** The prices and the codes of problems that a client has received. */
export type Seen = { prices: { tokenName: string; current_price: number }[]; problems: string[] };
export type Reader = { seen: Seen; close: () => void };
type Start = (url: string, key: string) => Reader;

const nothingSeen = (): Seen => ({ prices: [], problems: [] });

/** The package `eventsource`, which sends the key as a header. */
function startEventSource(url: string, key: string): Reader {
  const seen = nothingSeen();
  const source = new EventSource(url, {
    fetch: (target, init) => fetch(target, { ...init, headers: { ...init.headers, 'X-API-KEY': key } }),
  });
  source.addEventListener('price', ({ data }) => void seen.prices.push(JSON.parse(data)));
  source.addEventListener('problem', ({ data }) => void seen.problems.push(JSON.parse(data).code));
  return { seen, close: () => source.close() };
}

/** Runs a command that writes the stream's lines, and connects again when the stream ends. */
function startCommand(command: string, args: readonly string[]): Reader {
  const seen = nothingSeen();
  const child: ChildProcess = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  let text = '';
  let event = '';
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
    const lines = (text + piece).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      const data = line.startsWith('data: ') ? line.slice('data: '.length) : undefined;
      if (line.startsWith('event: ')) event = line.slice('event: '.length);
      else if (data !== undefined && event === 'price') seen.prices.push(JSON.parse(data));
      else if (data !== undefined && event === 'problem') seen.problems.push(JSON.parse(data).code);
    }
  });
  // The group also contains the commands that a shell has started.
  return { seen, close: () => void process.kill(-(child.pid as number), 'SIGKILL') };
}

const startCurl: Start = (url, key) =>
  startCommand('sh', ['-c', 'while :; do curl -sN -H "X-API-KEY: $1" "$0"; sleep 0.2; done', url, key]);

const PYTHON = `
import sys, time, requests
url, key = sys.argv[1:]
while True:
    try:
        with requests.get(url, headers={'X-API-KEY': key}, stream=True, timeout=(5, 45)) as response:
            for line in response.iter_lines(chunk_size=1, decode_unicode=True):
                print(line, flush=True)
    except requests.RequestException:
        pass
    time.sleep(0.2)
`;
const startPython: Start = (url, key) => startCommand('python3', ['-c', PYTHON, url, key]);

const isMissing = (command: string, ...args: string[]): boolean => spawnSync(command, args).status !== 0;

const CLIENTS: { name: string; start: Start; isMissing: boolean }[] = [
  { name: 'eventsource', start: startEventSource, isMissing: false },
  { name: 'curl -N', start: startCurl, isMissing: isMissing('curl', '--version') },
  { name: 'Python requests', start: startPython, isMissing: isMissing('python3', '-c', 'import requests') },
];

for (const { name, isMissing } of CLIENTS) if (isMissing) console.log(`${name} is not installed: it reads no stream.`);
/** The clients that are installed. */
export const clients = CLIENTS.filter(({ isMissing }) => !isMissing);
