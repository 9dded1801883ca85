import { expect, it, vi } from 'vitest';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '#process/node-flags';
import { SETTING_NAMES } from '#settings';
import { startRefusingServer } from '../support/database/refusing-server.ts';
import { bundled, spawnService } from '../support/service/service-process.ts';

// Each test starts processes, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const module = (text: string) => ['--import', `data:text/javascript,${encodeURIComponent(text)}`];

/** Prints a line for each started process: its flags, environment and heap limit. */
const REPORT = module(`
  import { getHeapStatistics } from 'node:v8';
  const { pid, execArgv: flags, env } = process;
  const heap = getHeapStatistics().heap_size_limit / 2 ** 20;
  console.log('report ' + JSON.stringify({ pid, flags, env, heap }));`);
/** Makes Node report the platform as Windows, where a process cannot be replaced. */
const AS_ON_WINDOWS = module(`Object.defineProperty(process, 'platform', { value: 'win32' });`);

const SERVE = [bundled('quotient'), 'serve'];

type Report = { pid: number; flags: string[]; env: Record<string, string>; heap: number };
const reports = (lines: readonly string[]) =>
  lines.filter((line) => line.startsWith('report ')).map((line) => JSON.parse(line.slice(7)) as Report);

/** The service as `npm start` starts it, until it waits for an unreachable database. */
async function startWaiting(args: readonly string[], env: Record<string, string> = {}) {
  const server = await startRefusingServer('57P03', 'unused');
  await server.close();
  const service = spawnService({ DATABASE_URL: server.url, ...env }, [...args, ...SERVE]);
  await service.logged(/database failed/);
  return service;
}

it('replaces the process, with the flags and the environment', async () => {
  const service = await startWaiting(REPORT);
  expect(await service.stop()).toBe(0);
  const [before, after, ...more] = reports(service.lines);
  expect(more).toEqual([]);
  expect([before?.pid, after?.pid]).toEqual([service.pid, service.pid]);
  expect(after?.flags).toEqual([...NODE_FLAGS, ...REPORT]);
  expect(after?.env).toMatchObject(NODE_ENVIRONMENT);
  expect(before?.flags).toEqual(REPORT);
});

it('does not restart with the flags already set, and keeps the operator’s settings', async () => {
  const complete = await startWaiting([...NODE_FLAGS, ...REPORT], { ...NODE_ENVIRONMENT });
  expect(await complete.stop()).toBe(0);
  expect(reports(complete.lines)).toHaveLength(1);

  const own = { MALLOC_TRIM_THRESHOLD_: '65536' };
  const service = await startWaiting(['--max-old-space-size=1000', ...REPORT], own);
  expect(await service.stop()).toBe(0);
  const after = reports(service.lines).at(-1);
  expect(after?.env).toMatchObject({ ...NODE_ENVIRONMENT, ...own });
  expect(after?.heap).toBeGreaterThan(1000);
});

it('starts a child where a process cannot be replaced, and forwards its signals and exit code', async () => {
  const service = await startWaiting([...AS_ON_WINDOWS, ...REPORT]);
  const [parent, child] = reports(service.lines);
  expect(parent?.pid).toBe(service.pid);
  expect(child?.pid).not.toBe(service.pid);
  expect(child?.flags).toEqual(expect.arrayContaining([...NODE_FLAGS]));
  expect(await service.stop()).toBe(0);
  await service.logged(/"stopping"/);

  const refused = spawnService({ PORT: 'eighty' }, [...AS_ON_WINDOWS, ...SERVE]);
  expect(await refused.exited).toEqual([2, null]);
});

it('leaves no child running when it is killed', async () => {
  const service = await startWaiting(AS_ON_WINDOWS);
  await service.kill();
  expect(JSON.parse(await service.logged(/"stopping"/))).toMatchObject({ signal: 'SIGTERM' });
});

it('prints its usage with settings that exist, and accepts no other argument', async () => {
  const help = spawnService({}, [...SERVE, '--help']);
  expect(await help.exited).toEqual([0, null]);
  await help.logged(/Exit codes/);
  const settings: readonly string[] = SETTING_NAMES;
  const named = help.lines.flatMap((line) => /^ {2}([A-Z_]+(?:, [A-Z_]+)*) {2,}/.exec(line)?.[1]?.split(', ') ?? []);
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((name) => !settings.includes(name))).toEqual([]);

  for (const argument of ['--port=80', 'hunter2']) {
    const refused = spawnService({}, [...SERVE, argument]);
    expect(await refused.exited).toEqual([2, null]);
    await refused.logged(/see `quotient serve --help`/);
    expect(refused.lines).toEqual([expect.not.stringMatching(/80|hunter2/)]);
  }
});
