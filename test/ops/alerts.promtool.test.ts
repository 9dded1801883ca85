import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { dashboardExpressions, OPS, RULE_FILES, RULE_TESTS } from './files.ts';

/** The output of Prometheus' own tool; empty if there is no fault. */
function complaints(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: OPS, encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

test('Prometheus accepts the rules and the configuration', () => {
  expect(complaints('check', 'rules', '--lint=all', '--lint-fatal', ...RULE_FILES)).toBe('');
  expect(complaints('check', 'config', 'prometheus.yml')).toBe('');
});

test.each(RULE_TESTS)('%s: each alert fires when it should', (file) => {
  expect(complaints('test', 'rules', file)).toBe('');
});

test('Prometheus parses every expression of the dashboard', () => {
  expect(dashboardExpressions.length).toBeGreaterThan(30);
  const folder = mkdtempSync(join(tmpdir(), 'quotient-dashboard-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const rules = dashboardExpressions.map((expr, i) => ({ record: `expression_${i}`, expr }));
  writeFileSync(join(folder, 'rules.yml'), stringify({ groups: [{ name: 'dashboard', rules }] }));
  expect(complaints('check', 'rules', join(folder, 'rules.yml'))).toBe('');
});
