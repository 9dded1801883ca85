import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { makeDirectory } from '../cli/run-command.ts';
import { bundled, spawnService } from '../support/service/service-process.ts';

// Each service opens an embedded database, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

let directory: Awaited<ReturnType<typeof makeDirectory>>;
let file: string;
beforeEach(async () => {
  directory = await makeDirectory();
  file = join(directory.path, 'data/admin-token');
});
afterEach(() => directory.remove());

const AT_A_TERMINAL = ['--import', 'data:text/javascript,process.stdout.isTTY=true'];

/** Starts the service with the default ports of the metrics and the operator's page. */
async function start(settings: Record<string, string> = {}, args: readonly string[] = AT_A_TERMINAL) {
  const defaults = { DATA_DIR: join(directory.path, 'data'), METRICS_PORT: '', ADMIN_PORT: '' };
  const service = spawnService({ ...defaults, ...settings }, [...args, bundled('quotient'), 'serve']);
  onTestFinished(() => service.kill());
  await service.logged(args.length > 0 ? /^Press Ctrl-C/ : /Server listening/);
  const printed = (name: string) =>
    service.lines
      .find((line) => line.startsWith(`  ${name}: `))
      ?.slice(name.length + 4)
      .trim();
  return {
    ...service,
    operator: printed("Operator's page"),
    metrics: printed('Metrics'),
    console: printed('Console'),
    documentation: printed('Documentation'),
    token: printed('Admin token'),
  };
}

const statusOf = async (url: string | undefined, token: string) =>
  (await fetch(`${url}admin/v1/users`, { headers: { Authorization: `Bearer ${token}` } })).status;

it("the operator's page and the metrics are on, with a token that only the owner can read and that is printed once", async () => {
  const first = await start();
  const token = (await readFile(file, 'utf8')).trim();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(token.length).toBeGreaterThanOrEqual(32);
  expect(first.token).toContain(token);
  expect(await statusOf(first.operator, token)).toBe(200);
  expect(await statusOf(first.operator, 'x'.repeat(32))).toBe(401);
  expect(await (await fetch(`${first.metrics}`)).text()).toContain('quotient_build_info');
  expect(first.lines.filter((line) => line.startsWith('{')).join()).not.toContain(token);
  const [, url = ''] = /^Quotient is listening at (http:\S+)$/m.exec(first.lines.join('\n')) ?? [];
  expect([first.console, first.documentation]).toEqual([`${url}/`, `${url}/docs`]);

  // A second process on the machine takes other ports. A token is created for a stored data directory only.
  const second = await start({ DATA_DIR: 'memory://' });
  expect(second.operator).toBeUndefined();
  expect(second.metrics).not.toBe(first.metrics);
  expect((await fetch(`${second.metrics}`)).status).toBe(200);
  expect(await second.stop()).toBe(0);

  expect(await first.stop()).toBe(0);
  const again = await start();
  expect(again.token).toBe(`in ${file}`);
  expect(again.lines.join()).not.toContain(token);
  expect(await statusOf(again.operator, token)).toBe(200);
  expect(await again.stop()).toBe(0);

  // Both can be off, and a start without a terminal only logs.
  const off = await start({ METRICS_PORT: 'off', ADMIN_PORT: 'off' });
  expect([off.operator, off.metrics, off.token]).toEqual([undefined, undefined, undefined]);
  expect(await off.stop()).toBe(0);
  await rm(file);
  const logged = await start({}, []);
  expect(logged.lines.map((line) => line[0])).toEqual(logged.lines.map(() => '{'));
  await logged.logged(/"admin token created"/);
  expect(await logged.stop()).toBe(0);
});

it('a created token is for a loopback address only', async () => {
  const refused = spawnService({ ADMIN_HOST: '0.0.0.0', ADMIN_PORT: '0' }, [bundled('quotient'), 'serve']);
  expect(await refused.exited).toEqual([2, null]);
  await refused.logged(/^ADMIN_TOKEN /);
});
