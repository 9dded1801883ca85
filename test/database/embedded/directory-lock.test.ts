import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockDirectory } from '#database/embedded/data-directory';

const MODULE = new URL('../../../src/database/embedded/data-directory.ts', import.meta.url).href;

// Switches to another user if a user ID is given (after reading its code, which that user may be unable to read).
// Prints `ready`, waits for a line, tries to lock, prints the result and runs until its input ends.
const CONTENDER = `
  const { lockDirectory } = await import(${JSON.stringify(MODULE)});
  const uid = process.argv[2];
  if (uid) process.setuid(Number(uid));
  console.log('ready');
  process.stdin.once('data', () => {
    try { lockDirectory(process.argv[1]); globalThis.gc(); console.log('held'); }
    catch (error) { console.log(error.code + ' ' + error.message); }
    process.stdin.once('end', () => process.exit());
  });
`;

let directory: string;
let contenders: ChildProcess[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quotient-lock-'));
  contenders = [];
});

afterEach(async () => {
  await Promise.all(contenders.map(kill));
  rmSync(directory, { recursive: true });
});

async function startContender({ uid }: { uid?: number | undefined } = {}) {
  const args = ['--expose-gc', '--input-type=module', '-e', CONTENDER, directory, String(uid ?? '')];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  contenders.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => (await lines.next()).value ?? 'nothing';
  expect(await nextLine()).toBe('ready');
  return {
    child,
    async tryToLock() {
      child.stdin.write('go\n');
      return nextLine();
    },
  };
}

async function kill(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

function inUseBy(pid: number | undefined) {
  return `DIRECTORY_IN_USE the data directory ${directory} is in use by process ${pid}: stop the process, set another DATA_DIR, or set DATABASE_URL to share a database`;
}

test('a second process is rejected with the ID of the process that has the directory', async () => {
  const first = await startContender();
  const second = await startContender();
  expect(await first.tryToLock()).toBe('held');
  expect(await second.tryToLock()).toBe(inUseBy(first.child.pid));
});

test('a second holder in the same process is rejected until the first one releases the lock', () => {
  const first = lockDirectory(directory);
  expect(() => lockDirectory(directory)).toThrow(`in use by process ${process.pid}`);
  first.release();
  first.release();
  expect(existsSync(join(directory, 'lock.pid'))).toBe(false);
  lockDirectory(directory).release();
});

test('a rejected attempt does not release the existing lock of its process', async () => {
  const lock = lockDirectory(directory);
  expect(() => lockDirectory(directory)).toThrow('in use');
  const other = await startContender();
  expect(await other.tryToLock()).toBe(inUseBy(process.pid));
  lock.release();
});

test('the directory of a killed holder is unlocked', async () => {
  const first = await startContender();
  expect(await first.tryToLock()).toBe('held');
  await kill(first.child);
  expect(existsSync(join(directory, 'lock.pid'))).toBe(true);
  const second = await startContender();
  expect(await second.tryToLock()).toBe('held');
});

test('a stale file with the ID of a running process does not block', () => {
  writeFileSync(join(directory, 'lock.pid'), `${process.ppid}\n`);
  lockDirectory(directory).release();
});

test('exactly one of six processes gets the lock of a killed holder', async () => {
  const holder = await startContender();
  expect(await holder.tryToLock()).toBe('held');
  const racers = await Promise.all(Array.from({ length: 6 }, () => startContender()));
  await kill(holder.child);
  const outcomes = await Promise.all(racers.map((racer) => racer.tryToLock()));
  expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome.startsWith('DIRECTORY_IN_USE '))).toHaveLength(5);
});

test('a user without write permission is rejected, because the lock would not hold', async () => {
  writeFileSync(join(directory, 'lock'), '');
  chmodSync(join(directory, 'lock'), 0o444);
  chmodSync(directory, 0o777);
  const otherUser = 65534; // file modes do not apply to root
  const contender = await startContender({ uid: process.getuid?.() === 0 ? otherUser : undefined });
  expect(await contender.tryToLock()).toMatch(`OTHER_OWNER ${join(directory, 'lock')} `);
});
