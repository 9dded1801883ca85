import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeDirectory, runCommand, startCommand } from './run-command.ts';

// Each command is a process that opens a database: seconds, on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

let directory: Awaited<ReturnType<typeof makeDirectory>>;
beforeEach(async () => {
  directory = await makeDirectory();
});
afterEach(() => directory.remove());

const CURL = /^ {2}curl -H 'X-API-KEY: ([^']+)' '([^']+)'$/gm;

it.each(['SIGINT', 'SIGTERM'] as const)(
  'answers what it prints, and leaves nothing behind after %s',
  async (signal) => {
    // Where somebody else has it already, that serves as well.
    const usualPort = createServer().listen(8080, '127.0.0.1');
    await once(usualPort, 'listening').catch((error) => expect(error.code).toBe('EADDRINUSE'));
    const demo = startCommand('demo', [], { TMPDIR: directory.path });
    await demo.until('stdout', /Ctrl-C/);
    expect(await readdir(directory.path)).toHaveLength(1);
    expect(demo.output.stdout).toContain('ALL FIGURES ARE SYNTHETIC');
    const docs = /http:\S+\/docs/.exec(demo.output.stdout)?.[0] ?? '';
    expect(new URL(docs).port).not.toBe('8080');
    expect((await fetch(docs)).status).toBe(200);

    const calls = [...demo.output.stdout.matchAll(CURL)];
    expect(calls.map(([, , url]) => new URL(url ?? '').pathname)).toEqual([
      '/v1/prices/latest/token',
      '/v1/prices/history/days',
      '/v1/prices/history/date/range',
    ]);
    for (const [, key = '', url = ''] of calls) {
      const response = await fetch(url, { headers: { 'X-API-KEY': key } });
      expect([response.status, Object.keys(Object(await response.json())).length > 0]).toEqual([200, true]);
    }

    demo.kill(signal);
    demo.kill(signal); // as npm does
    expect(await demo.ended()).toMatchObject({ code: 0, stderr: '' });
    expect(await readdir(directory.path)).toEqual([]);
    await expect(fetch(docs)).rejects.toThrow();
    usualPort.close();
  },
);

it('says in one line that its port is taken, and clears up', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const result = await runCommand('demo', [], { TMPDIR: directory.path, PORT: String(port) });
  server.close();
  expect(result).toEqual({
    code: 1,
    stdout: '',
    stderr: `listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`,
  });
  expect(await readdir(directory.path)).toEqual([]);
});

it('has a usage, and no arguments', async () => {
  expect(await runCommand('demo', ['--help'], {})).toMatchObject({ code: 0, stderr: '' });
  expect(await runCommand('demo', ['now'], {})).toEqual({
    code: 2,
    stdout: '',
    stderr: '1 argument(s) too many (--help tells more)\n',
  });
});
