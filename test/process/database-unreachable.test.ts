import { expect, it, vi } from 'vitest';
import { startRefusingServer } from '../support/database/refusing-server.ts';
import { spawnService } from '../support/service/service-process.ts';

// Each test starts a process, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

it('waits for an unreachable server, logs it once, and ends immediately on SIGTERM', async () => {
  const server = await startRefusingServer('57P03', 'unused');
  await server.close();
  const service = spawnService({ DATABASE_URL: server.url });
  const line = await service.logged(/database failed/);
  expect(JSON.parse(line)).toMatchObject({
    level: 40,
    msg: 'database failed',
    cause: 'unreachable',
    work: { start: 1 },
    reason: `cannot connect to the database at ${server.at}: connect ECONNREFUSED ${server.at}`,
  });
  expect(await service.stop()).toBe(0);
  expect(service.lines.map((text) => JSON.parse(text).msg)).toEqual([JSON.parse(line).msg, 'stopping']);
});

it('does not wait after an error that waiting cannot resolve', async () => {
  const message = 'database "quotient" does not exist';
  const server = await startRefusingServer('3D000', message);
  const service = spawnService({ DATABASE_URL: server.url });
  expect(await service.exited).toEqual([1, null]);
  await service.logged(/cannot connect/);
  expect(service.lines).toEqual([`cannot connect to the database at ${server.at}: ${message}`]);
  await server.close();
});

it('tries every host of a list, names each, and waits until one of them accepts a connection', async () => {
  const starting = await startRefusingServer('57P03', 'the database system is starting up');
  const gone = await startRefusingServer('57P03', 'unused');
  await gone.close();
  const url = `postgresql://someuser:hunter2@${gone.at},${starting.at}/quotient?target_session_attrs=read-write`;
  const service = spawnService({ DATABASE_URL: url });
  await starting.asked(2);
  const { reason } = JSON.parse(await service.logged(/database failed/));
  expect(reason).toContain(`connect ECONNREFUSED ${gone.at}`);
  expect(reason).toContain(`${starting.at}: the database system is starting up`);
  expect(service.lines).toHaveLength(1);
  expect(service.lines.join()).not.toContain('hunter2');
  expect(await service.stop()).toBe(0);
  await starting.close();
});

it('does not try the next host with a password that one host has rejected', async () => {
  const server = await startRefusingServer('28P01', 'password authentication failed for user "someuser"');
  const service = spawnService({ DATABASE_URL: `postgresql://x@${server.at},127.0.0.1:9/quotient` });
  expect(await service.exited).toEqual([1, null]);
  await service.logged(/cannot connect.*password authentication failed/);
  await server.close();
});

it('exits immediately for an unsupported list of hosts', async () => {
  const service = spawnService({ DATABASE_URL: 'postgresql://db1,,db2/quotient' });
  expect(await service.exited).toEqual([2, null]);
  await service.logged(/^DATABASE_URL must/);
  expect(service.lines).toHaveLength(1);
});
