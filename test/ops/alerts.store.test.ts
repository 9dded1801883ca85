import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { METRICS_ON, openScrape } from '../support/service/metrics.ts';
import { startService } from '../support/service/service.ts';
import { alertGroups, RULE_FILES, RULE_TESTS, readOps } from './files.ts';

const OPERATING = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');

/** Every name under which a series of the service can appear. */
let exposed: ReadonlySet<string>;
beforeAll(async () => {
  const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'quotient@example.org', PUBLIC_URL: 'http://127.0.0.1:9' };
  const service = await startService({ settings: { ...METRICS_ON, ...mail } });
  const scrape = await openScrape(service);
  const types = [...(await scrape.text()).matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  await scrape.close();
  await service.close();
  exposed = new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? [name, ...['bucket', 'count', 'sum'].map((part) => `${name}_${part}`)] : [name],
    ),
  );
});

const FILES = [...RULE_FILES, ...RULE_TESTS, 'grafana/dashboards/quotient.json', 'kubernetes/prometheus-adapter.yml'];
test.each(FILES)('every metric named in %s exists', (file) => {
  const text = readOps(file).replaceAll(/^\s*#.*$/gm, '');
  const named = new Set(text.match(/\b(?:quotient|nodejs|process)_\w+/g));
  expect(named.size).toBeGreaterThan(0);
  expect([...named].filter((name) => !exposed.has(name))).toEqual([]);
});

test('the operator’s page lists exactly the service’s metrics', () => {
  const listed = new Set([...OPERATING.matchAll(/^\| `(quotient_\w+)/gm)].map(([, name]) => name));
  const names = [...exposed].filter((name) => name.startsWith('quotient_'));
  expect(listed).toEqual(new Set(names.map((name) => name.replace(/_(bucket|count|sum)$/, ''))));
});

test('every alert states its meaning and the remedy, and links to its section of the operator’s page', () => {
  const headings = [...OPERATING.matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name);
  const alerts = alertGroups.flatMap(({ rules }) => rules);
  expect(alerts.length).toBeGreaterThan(10);
  for (const { alert, labels, annotations } of alerts) {
    expect(labels.severity, alert).toMatch(/^(critical|warning)$/);
    expect(annotations.summary, alert).toMatch(/\w/);
    expect(annotations.description, alert).toMatch(/\w/);
    expect(annotations.runbook).toBe(`docs/operating.md#${alert.toLowerCase()}`);
  }
  expect(headings.filter((name) => name.startsWith('Quotient')).sort()).toEqual(
    alerts.map(({ alert }) => alert).sort(),
  );
});
