import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY } from '#core/clock';
import { SHORT_LIVED } from '../support/node-arguments.ts';
import { bundled } from '../support/service/service-process.ts';
import { makeServedDirectory } from './run-command.ts';

const ROWS = 1500;
let directory: Awaited<ReturnType<typeof makeServedDirectory>>;
let path: string;
beforeAll(async () => {
  directory = await makeServedDirectory();
  path = join(directory.path, 'prices.csv');
});
afterAll(() => directory.remove());

/** Each row follows a bad line, for which the command prints a line. */
async function writeRows(price: number) {
  const rows = Array.from({ length: ROWS }, (_, i) => {
    const date = new Date(Date.UTC(2014, 0, 1) + i * DAY).toISOString().slice(0, 10);
    return `bad\n${date},${price},1,1\n`;
  });
  await writeFile(path, `date,price,market_cap,total_volume\n${rows.join('')}`);
}

function start(token: string, stdio: ('pipe' | number)[]) {
  const args = [...SHORT_LIVED, bundled('quotient'), 'archive', 'import', token, path];
  return spawn(process.execPath, args, { env: { DATA_DIR: directory.dataDir }, stdio });
}

const imported = (token: string) => directory.database.prisma.point.count({ where: { token } });

it('a command completes its work if the readers of its output close their pipes', async () => {
  await writeRows(1);
  const command = start('ethereum', ['pipe', 'pipe', 'pipe']);
  command.stdout?.destroy();
  await once(command.stderr as NodeJS.ReadableStream, 'data');
  command.stderr?.destroy();
  expect(await once(command, 'exit')).toEqual([0, null]);
  expect(await imported('ethereum')).toBe(ROWS);
});

it.runIf(existsSync('/dev/full'))(
  'a command completes its work if its output cannot be written, and reports it',
  async () => {
    await writeRows(2);
    const full = await open('/dev/full', 'w');
    const command = start('solana', ['pipe', full.fd, 'pipe']);
    const texts = (await command.stderr?.setEncoding('utf8').toArray()) as string[];
    await full.close();
    expect(command.exitCode ?? (await once(command, 'exit'))[0]).toBe(1);
    expect(texts.join('')).toMatch(/^the output is incomplete: [^\n]*ENOSPC[^\n]*$/m);
    expect(texts.join('')).not.toMatch(/^ +at /m);
    expect(await imported('solana')).toBe(ROWS);
  },
);
