import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { CONFIGURATIONS, dashboardExpressions, OPS, RULE_FILES, RULE_TESTS, readOps } from './files.ts';

/** The output of Prometheus' own tool; empty if there is no fault. */
function complaints(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: OPS, encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

test('Prometheus accepts the rules and the configuration', () => {
  expect(complaints('check', 'rules', '--lint=all', '--lint-fatal', ...RULE_FILES)).toBe('');
  for (const file of CONFIGURATIONS) expect(complaints('check', 'config', file)).toBe('');
});

test.each(RULE_TESTS)('%s: each alert fires when it should', (file) => {
  expect(complaints('test', 'rules', file)).toBe('');
});

/** What Prometheus says about expressions. */
function complaintsAbout(expressions: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'quotient-expressions-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const rules = expressions.map((expr, i) => ({ record: `expression_${i}`, expr }));
  writeFileSync(join(folder, 'rules.yml'), stringify({ groups: [{ name: 'expressions', rules }] }));
  return complaints('check', 'rules', join(folder, 'rules.yml'));
}

test('Prometheus parses every expression of the dashboard', () => {
  expect(dashboardExpressions.length).toBeGreaterThan(30);
  expect(complaintsAbout(dashboardExpressions)).toBe('');
});

test('the adapter makes the metric of the autoscaler from a metric of the service', () => {
  const [rule] = parse(readOps('kubernetes/prometheus-adapter.yml')).rules.custom;
  const [, series = ''] = /^(\w+)\{/.exec(rule.seriesQuery) ?? [];
  const query = rule.metricsQuery
    .replace('<<.GroupBy>>', 'pod')
    .replace('<<.Series>>', series)
    .replace('<<.LabelMatchers>>', 'pod=~"a|b"');
  expect(complaintsAbout([rule.seriesQuery, query])).toBe('');
  // Go writes the first group with braces, JavaScript without.
  const name = series.replace(new RegExp(rule.name.matches), rule.name.as.replaceAll(/[{}]/g, ''));
  expect(parse(readOps('kubernetes/autoscaler.yaml')).spec.metrics[0].pods.metric.name).toBe(name);
});

const hasAmtool = spawnSync('amtool', ['--version']).status === 0;
if (!hasAmtool) console.log('amtool is not installed: the configuration of Alertmanager is not checked.');
test.runIf(hasAmtool)('Alertmanager accepts its configuration', () => {
  const { status, stdout, stderr } = spawnSync('amtool', ['check-config', join(OPS, 'alertmanager.yml')]);
  expect(status, `${stdout}${stderr}`).toBe(0);
});
