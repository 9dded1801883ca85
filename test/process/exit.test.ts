import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { EXIT } from '#process/exit';
import { toExitReport } from '#process/exit-report';

/** The message for a server that cannot listen at this place. */
async function rejection(host: string, port: number) {
  const server = createServer().listen(port, host);
  const [error] = await once(server, 'error');
  return toExitReport(error);
}

it.each(['127.0.0.1', '::1'])('reports in one line that a port of %s is in use', async (host) => {
  const other = createServer().listen(0, host);
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const place = host === '::1' ? `[::1]:${port}` : `127.0.0.1:${port}`;
  expect(await rejection(host, port)).toEqual({
    text: `cannot listen at ${place}: another process uses the port; set another PORT, ADMIN_PORT or METRICS_PORT`,
    exitCode: EXIT.failed,
  });
  other.close();
});

it('reports in one line that an address does not belong to this machine', async () => {
  expect(await rejection('192.0.2.1', 8080)).toEqual({
    text: expect.stringMatching(/^cannot listen at 192\.0\.2\.1:8080: .*\bHOST\b.*$/),
    exitCode: EXIT.failed,
  });
});

it('reports in one line that a host has no address', async () => {
  expect(await rejection('nowhere.invalid', 8080)).toEqual({
    text: 'nowhere.invalid has no address; correct HOST, ADMIN_HOST or METRICS_HOST',
    exitCode: EXIT.failed,
  });
});

it('reports in one line that the database failed, and keeps the stack trace of other errors', () => {
  const reported = (message: string, members = {}) => toExitReport(Object.assign(new Error(message), members)).text;
  expect(reported('timeout exceeded when trying to connect')).toBe(
    'the database failed: timeout exceeded when trying to connect',
  );
  expect(reported('canceling statement', { severity: 'ERROR', code: '57014' })).toMatch(
    /^the database failed: [^\n]+$/,
  );
  expect(reported('no such file', { code: 'ENOENT', errno: -2, syscall: 'open' })).toContain('exit.test.ts');
});
