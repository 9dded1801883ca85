import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const OPS = new URL('../../ops/', import.meta.url).pathname;

/** What Prometheus' own tool says; nothing where all is well. */
function complaints(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: OPS, encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

test('the rules and the example are what Prometheus reads', () => {
  expect(complaints('check', 'rules', '--lint=all', '--lint-fatal', 'alerts.yml')).toBe('');
  expect(complaints('check', 'config', 'prometheus.yml')).toBe('');
});

test.each(['alerts.test.yml', 'alerts.month.test.yml'])('%s: each alert fires when it should', (file) => {
  expect(complaints('test', 'rules', file)).toBe('');
});
