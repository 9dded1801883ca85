import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';

const SCRIPT = join(import.meta.dirname, '../../scripts/check-english.ts');

const folders: string[] = [];
afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true }))));

/** The exit code of the check on one file, and the numbers of the reported lines. */
async function check(file: string, text: string) {
  const root = await mkdtemp(join(tmpdir(), 'english-'));
  folders.push(root);
  await mkdir(join(root, 'src'));
  await mkdir(join(root, 'docs'));
  await writeFile(join(root, file), text);
  return new Promise<{ code: number; lines: number[] }>((resolve) => {
    execFile(process.execPath, [SCRIPT, root], (error, _out, faults) => {
      const lines = [...faults.matchAll(/^[^:]+:(\d+):/gm)].map(([, line]) => Number(line));
      resolve({ code: error ? Number(error.code) : 0, lines });
    });
  });
}

it.each([
  ['src/a.ts', '// The price that the source told.'],
  ['src/a.ts', 'const isTold = true;'],
  ['src/a.ts', "const hint = 'Whoever has the key can use it.';"],
  ['src/a.ts', '/** What the store returns is sorted. */'],
  ['docs/a.md', 'The key works. What it costs stands in the table.'],
  ['docs/a.md', 'Every route requires a key but for `/health`.'],
  ['docs/a.md', 'The newest price is asked for once a minute.'],
  ['README.md', 'The old key goes on for a day.'],
  ['README.md', 'That is no token of this service.'],
  ['src/a.ts', '// The calls but those for the newest block.'],
  ['src/a.ts', '// It is called again after a day at the latest, whatever the response says.'],
  ['docs/a.md', 'If the address is registered, a mail will be sent.'],
  ['docs/a.md', 'Pages of other origins cannot read the response.'],
  ['src/a.ts', '// The bytes as they came, which `fetch` would decode.'],
  ['src/a.ts', '// Stands before a server and hands on what passes.'],
  ['src/a.ts', '/** Makes so many calls. */'],
  ['src/a.ts', '// Not undone by a report that was held up.'],
  ['src/a.ts', "const name = 'a time that is none';"],
])('rejects in %s: %s', async (file, line) => {
  expect(await check(file, `\n${line}\n`)).toEqual({ code: 1, lines: [2] });
});

it.each([
  ['src/a.ts', 'const { told_at: reportedAt } = row;'],
  ['src/a.ts', '// The price that the source reported.'],
  ['docs/a.md', '## What does a call cost?'],
  ['docs/a.md', 'There is no limit, and the limit is no longer shown.'],
  ['docs/a.md', 'You are asked to confirm the address.'],
  ['docs/a.md', 'The chart ends at the latest price.'],
  ['docs/a.md', 'Set the URL of the mail server.'],
  ['src/a.ts', '// There are so many connections that calls do not wait.'],
  ['src/a.ts', '/** The first date; undefined if there is none. */'],
  ['README.md', 'What happens when CoinGecko is down? Stored prices are served.'],
])('accepts in %s: %s', async (file, line) => {
  expect(await check(file, `\n${line}\n`)).toEqual({ code: 0, lines: [] });
});
