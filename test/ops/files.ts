import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

// The files in ops/ that the tests read.

export const OPS = fileURLToPath(new URL('../../ops/', import.meta.url));
export const readOps = (name: string): string => readFileSync(join(OPS, name), 'utf8');

export type Alert = {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: Record<'summary' | 'description' | 'runbook', string>;
};
type Group = { name: string; rules: Alert[] };

export const RULE_FILES = globSync('alerts/*.yml', { cwd: OPS }).sort();
export const RULE_TESTS = globSync('alerts/tests/*.yml', { cwd: OPS }).sort();
export const CONFIGURATIONS = globSync('prometheus/*.yml', { cwd: OPS }).sort();
export const alertGroups = RULE_FILES.flatMap((file) => (parse(readOps(file)) as { groups: Group[] }).groups);

type Place = { x: number; y: number; w: number; h: number };
type Panel = { id: number; type: string; title: string; gridPos: Place } & {
  datasource?: { type: string; uid: string };
  targets?: { refId: string; expr: string }[];
};
type Dashboard = { uid: string; panels: Panel[] } & {
  templating: { list: { name: string; type: string; query: string }[] };
  annotations: { list: { datasource: { uid: string }; expr: string }[] };
};

export const dashboard = JSON.parse(readOps('grafana/dashboards/quotient.json')) as Dashboard;

/** All expressions of the dashboard, with its variables replaced as Grafana would. */
export const dashboardExpressions = [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets),
  ...dashboard.annotations.list,
].map(({ expr }) => expr.replaceAll('$__rate_interval', '1m'));
