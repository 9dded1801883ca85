import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '../../support/database/database.ts';
import { startReplicas } from './replicas.ts';

const ROWS_OF = `SELECT count(*)::int AS rows, min(date) >= current_date - 40 AS recent FROM usage_day`;

it('one of two processes deletes the calls of old dates while calls are served', {
  timeout: 120_000,
}, async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  // The users and their dates exist before the processes that delete them start.
  const before = await startReplicas(0, { url });
  const users = await Promise.all(Array.from({ length: 6 }, () => before.createUser(1000)));
  const keys = users.map(({ key }) => key);
  await before.prisma.$executeRaw`
    INSERT INTO usage_day (user_key, date, calls)
    SELECT key, current_date - day, 1 FROM unnest(${keys}::int[]) AS u(key), generate_series(1, 2000) AS d(day)`;
  await before.close();

  const replicas = await startReplicas(2, { url, env: { USAGE_RETENTION: '40d' } });
  onTestFinished(replicas.close);
  const rows = async () => (await replicas.prisma.$queryRawUnsafe<{ rows: number; recent: boolean }[]>(ROWS_OF))[0];
  const { apiKey } = users[0] as (typeof users)[0];
  for (const { url: at } of replicas.processes) {
    const { status } = await fetch(`${at}/v1/prices/latest/token?tokenName=bitcoin`, {
      headers: { 'x-api-key': apiKey },
    });
    expect(status).toBe(200);
  }
  await expect.poll(async () => (await rows())?.recent, { timeout: 30_000 }).toBe(true);
  const round = () => replicas.prisma.refresh.findUnique({ where: { resource: 'usage-retention' } });
  await expect.poll(async () => (await round())?.holder, { timeout: 30_000 }).toBeNull();
  expect((await rows())?.rows).toBeGreaterThanOrEqual(6 * 40);

  const logged = replicas.processes.flatMap(({ lines }) =>
    lines.filter((line) => /expired daily call counts deleted/.test(line)),
  );
  expect(logged.map((line) => JSON.parse(line).rows)).toEqual([6 * (2000 - 40)]);
});
