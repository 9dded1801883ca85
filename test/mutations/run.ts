import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LISTS } from './lists.ts';
import { type Mutation, readMutations } from './mutation.ts';

/*
 * `npm run test:mutations [-- words]` applies mutations to the sources, one at a time, runs the tests that should catch
 * each mutation, and lists the survivors. It works in copies of the checkout, so an interrupted run leaves no changes.
 */

const ROOT = resolve(import.meta.dirname, '../..');
/** A mutation can make a test hang. After this time, in ms, it counts as caught. */
const TIME_LIMIT = 180_000;
const SQL_SYNTAX = /syntax error at or near|42601/;

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { 'at-once': { type: 'string', default: '2' } },
});

const running = new Set<number>();
const copies: string[] = [];
process.on('exit', () => {
  for (const pid of running) process.kill(-pid, 'SIGKILL');
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

function copyCheckout(): string {
  const copy = mkdtempSync(join(tmpdir(), 'quotient-mutations-'));
  copies.push(copy);
  const left = new Set(['node_modules', '.git', 'data'].map((name) => join(ROOT, name)));
  cpSync(ROOT, copy, { recursive: true, filter: (path) => !left.has(path) });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

type Ended = { code: number | null; output: string; isLate: boolean };

/** Runs a program of `node_modules` in a copy, in a separate process group. */
function run(copy: string, program: string, args: readonly string[], timeLimit?: number): Promise<Ended> {
  const child = spawn(process.execPath, [join('node_modules', program), ...args], {
    cwd: copy,
    detached: true,
    env: process.env,
  });
  const pid = child.pid as number;
  running.add(pid);
  let output = '';
  let isLate = false;
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const timer =
    timeLimit &&
    setTimeout(() => {
      isLate = true;
      process.kill(-pid, 'SIGKILL');
    }, timeLimit);
  return new Promise((done) => {
    child.once('close', (code) => {
      clearTimeout(timer);
      running.delete(pid);
      done({ code, output, isLate });
    });
  });
}

const isServerAvailable = Boolean(process.env.TEST_DATABASE_URL);

/**
 * The project of `vitest.config.ts` that runs a test. If a server is available, the project with all databases on the
 * server is used, because it is faster.
 */
function projectOf(test: string): string {
  if (test.endsWith('.server.test.ts')) return 'server';
  if (test.endsWith('.store.test.ts')) return isServerAvailable ? 'server' : 'embedded';
  if (test.endsWith('.browser.test.ts')) return 'browser';
  return 'unit';
}

type Report = {
  numFailedTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; failureMessages: string[] }[];
  }[];
};

/** Runs tests in a copy. */
async function runTests(copy: string, tests: readonly string[], options: readonly string[], timeLimit?: number) {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const projects = [...new Set(tests.map(projectOf))].map((name) => `--project=${name}`);
  const outputs = ['--reporter=json', `--outputFile=${report}`];
  const files = tests.map((test) => join('test', test));
  const args = ['run', ...projects, ...outputs, ...options, ...files];
  const ended = await run(copy, 'vitest/vitest.mjs', args, timeLimit);
  if (ended.isLate) return { ...ended, report: undefined };
  try {
    return { ...ended, report: JSON.parse(readFileSync(report, 'utf8')) as Report };
  } catch {
    throw new Error(`the tests could not be run: ${ended.output}`);
  }
}

type Verdict = 'caught' | 'survived' | 'broken';

/** Whether the tests catch a mutation: a test must fail, instead of a file that cannot be loaded. */
async function judge(copy: string, { file, mutated, tests }: Mutation): Promise<Verdict> {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, mutated);
  const { code, report } = await runTests(copy, tests, ['--bail=1', '--maxWorkers=1'], TIME_LIMIT);
  writeFileSync(path, source);
  if (!report) return 'caught';
  if (code === 0) return 'survived';
  // A failure after the tests of a file is reported for the file.
  const messages = report.testResults.flatMap(({ status, message, assertionResults }) => [
    ...(status === 'failed' && assertionResults.some((one) => one.status === 'passed') ? [message] : []),
    ...assertionResults.flatMap(({ failureMessages }) => failureMessages),
  ]);
  return messages.length === 0 || messages.some((one) => SQL_SYNTAX.test(one)) ? 'broken' : 'caught';
}

/** The mutations that do not compile. All are checked together, each as a file next to its original. */
async function uncompiled(copy: string, mutations: readonly Mutation[]): Promise<string[]> {
  const beside = mutations.map(({ file }, i) => file.replace(/\.([jt]s)$/, `.mutation-${i}.$1`));
  for (const [i, file] of beside.entries()) writeFileSync(join(copy, file), mutations[i]?.mutated ?? '');
  // A mutation may leave unused code.
  const options = ['-p', '.', '--noUnusedLocals', 'false', '--noUnusedParameters', 'false', '--pretty', 'false'];
  const { code, output } = await run(copy, 'typescript/bin/tsc', options);
  for (const file of beside) rmSync(join(copy, file));
  const faults = mutations.flatMap(({ name }, i) => {
    const errors = output.split('\n').filter((line) => line.startsWith(`${beside[i]}(`));
    return errors.length > 0 ? [`${name}  does not compile: ${errors.join(' ')}`] : [];
  });
  if (code !== 0 && faults.length === 0) throw new Error(`the types could not be checked: ${output}`);
  return faults;
}

function fail(title: string, lines: readonly string[]): never {
  console.error(`${title}:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  process.exit(2);
}

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

const startedAt = performance.now();
const read = readMutations(Object.values(LISTS).flat(), (file) => {
  const path = join(ROOT, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
});
if (read.faults.length > 0) fail('These mutations do not apply', read.faults);
const listOf = (file: string) => Object.entries(LISTS).find(([, list]) => list.some((one) => one.file === file))?.[0];
const chosen = read.mutations.filter(
  ({ name, file }) =>
    words.length === 0 || words.some((word) => (word in LISTS ? listOf(file) === word : name.includes(word))),
);
const needsServer = ({ tests }: Mutation) => tests.some((test) => projectOf(test) === 'server');
const mutations = chosen.filter((one) => isServerAvailable || !needsServer(one));
if (chosen.length === 0) fail('No mutation has these words in its name', words);
const skipped = chosen.length - mutations.length;
if (skipped > 0) console.log(`${skipped} require a PostgreSQL server and are skipped: set TEST_DATABASE_URL.`);

const first = copyCheckout();
const faults = await uncompiled(first, mutations);
if (faults.length > 0) fail('These mutations do not compile', faults);

const tests = [...new Set(mutations.flatMap((one) => one.tests))];
const { code, report } = await runTests(first, tests, []);
if (code !== 0) {
  const failed = report?.testResults.filter(({ status }) => status !== 'passed') ?? [];
  const received = failed.flatMap(({ name, message, assertionResults }) => {
    const messages = assertionResults.flatMap(({ failureMessages }) => failureMessages);
    return `${name} ${[message, ...messages].join('\n')}`;
  });
  fail('These tests fail without a mutation', received);
}
const ran = new Set(report?.testResults.map(({ name }) => name));
const missing = tests.filter((test) => !ran.has(join(first, 'test', test)));
if (missing.length > 0) fail('These tests are in no project on this machine', missing);
console.log(
  `${mutations.length} mutations; their ${tests.length} test files pass without them (${seconds(startedAt)})`,
);

const verdicts = new Map<Mutation, Verdict>();
const left = [...mutations];
async function work(copy: string): Promise<void> {
  for (let next = left.shift(); next; next = left.shift()) {
    const since = performance.now();
    const verdict = await judge(copy, next);
    verdicts.set(next, verdict);
    console.log(`${verdict.padEnd(8)}  ${seconds(since).padStart(7)}  ${next.name}`);
  }
}
const others = Array.from({ length: Number(values['at-once']) - 1 }, copyCheckout);
await Promise.all([first, ...others].map(work));

const named = (verdict: Verdict) => mutations.filter((one) => verdicts.get(one) === verdict);
const [caught, survived, broken] = [named('caught'), named('survived'), named('broken')];
if (broken.length > 0)
  fail(
    'These mutations fail for another reason than a test',
    broken.map(({ name }) => name),
  );
for (const { name, tests } of survived) console.log(`SURVIVED  ${name}  (${tests.join(', ')})`);
console.log(`${caught.length} caught, ${survived.length} survived, in ${seconds(startedAt)}`);
process.exitCode = survived.length > 0 ? 1 : 0;
