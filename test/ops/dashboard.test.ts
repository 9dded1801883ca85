import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { alertGroups, dashboard, OPS, readOps } from './files.ts';

const DATASOURCE = { type: 'prometheus', uid: `\${datasource}` };
const readYaml = (name: string) => parse(readOps(`grafana/provisioning/${name}`));

it('has one row for each group of alerts, with panels in each row', () => {
  const rows = dashboard.panels.flatMap(({ type, title }, place) => (type === 'row' ? [{ title, place }] : []));
  const groups = alertGroups.map(({ name }) => name);
  expect(rows.map(({ title }) => title).sort()).toEqual([...groups].sort());
  const ends = [...rows.slice(1).map(({ place }) => place), dashboard.panels.length];
  for (const [i, { title, place }] of rows.entries()) expect(ends[i], title).toBeGreaterThan(place + 1);
});

it('has a fixed uid, and takes its data from the data source that the visitor selects', () => {
  expect(dashboard.uid).toBe('quotient');
  const [variable, ...others] = dashboard.templating.list;
  expect(variable).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
  expect(others).toEqual([]);
  for (const { datasource } of dashboard.annotations.list) expect(datasource).toEqual(DATASOURCE);
  for (const { type, title, datasource, targets } of dashboard.panels) {
    if (type === 'row') continue;
    expect(datasource, title).toEqual(DATASOURCE);
    expect(targets?.length, title).toBeGreaterThan(0);
  }
});

it('places its panels without overlap', () => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(dashboard.panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  const ids = dashboard.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

it('is provisioned with its data source, at the paths of the compose file', () => {
  const compose = parse(readOps('../docker-compose.yml')) as {
    services: Record<string, { volumes?: string[]; profiles?: string[]; environment?: Record<string, unknown> }>;
  };
  const { grafana, prometheus, api } = compose.services;
  for (const service of [grafana, prometheus]) expect(service?.profiles).toEqual(['monitoring']);
  expect(grafana?.volumes).toEqual(['./ops/grafana:/etc/grafana:ro']);
  expect(prometheus?.volumes).toContain('./ops/alerts:/etc/prometheus/alerts:ro');
  const { datasources } = readYaml('datasources/prometheus.yml');
  expect(datasources).toMatchObject([{ type: 'prometheus', url: 'http://prometheus:9090' }]);
  const { providers } = readYaml('dashboards/quotient.yml');
  const folder = `${providers[0].options.path}/`.replace('/etc/grafana/', '');
  expect(globSync(`grafana/${folder}*.json`, { cwd: OPS })).toEqual(['grafana/dashboards/quotient.json']);
  expect(readOps('grafana/grafana.ini')).toContain(`= /etc/grafana/${folder}quotient.json\n`);
  const [{ dns_sd_configs: targets }] = parse(readOps('prometheus/compose.yml')).scrape_configs;
  expect(targets).toMatchObject([{ names: ['api'], port: api?.environment?.METRICS_PORT }]);
});
