import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { METRICS_ON } from '../support/service/metrics.ts';
import { startService } from '../support/service/service.ts';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

/** Every name under which a series of the service can appear. */
let exposed: ReadonlySet<string>;
beforeAll(async () => {
  const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'quotient@example.org', PUBLIC_URL: 'http://127.0.0.1:9' };
  const { parts, close } = await startService({ settings: { ...METRICS_ON, ...mail } });
  const types = [...(await parts.metrics.text()).matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  await close();
  exposed = new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? [name, ...['bucket', 'count', 'sum'].map((part) => `${name}_${part}`)] : [name],
    ),
  );
});

test.each(['ops/alerts.yml', 'ops/alerts.test.yml', 'ops/alerts.month.test.yml'])(
  'every metric that is named in %s is one that the service has',
  (file) => {
    const text = read(file).replaceAll(/^\s*#.*$/gm, '');
    const named = new Set(text.match(/\b(?:quotient|nodejs|process)_\w+/g));
    expect(named.size).toBeGreaterThan(0);
    expect([...named].filter((name) => !exposed.has(name))).toEqual([]);
  },
);

test('every metric of ours is in the list of the operator’s page, and nothing else', () => {
  const listed = new Set([...read('docs/operating.md').matchAll(/^\| `(quotient_\w+)/gm)].map(([, name]) => name));
  const names = [...exposed].filter((name) => name.startsWith('quotient_'));
  expect(listed).toEqual(new Set(names.map((name) => name.replace(/_(bucket|count|sum)$/, ''))));
});

test('every alert says what it means and what to do, and names its section of the operator’s page', () => {
  const [, ...alerts] = read('ops/alerts.yml').split(/^ +- alert: /m);
  const headings = [...read('docs/operating.md').matchAll(/^#+ (\w+)$/gm)].map(([, name]) => name);
  expect(alerts.length).toBeGreaterThan(10);
  for (const alert of alerts) {
    const name = /^\w+/.exec(alert)?.[0] ?? '';
    expect(alert).toMatch(/^ +severity|labels: \{ severity: (critical|warning) \}/m);
    for (const part of ['summary', 'description']) expect(alert, name).toMatch(new RegExp(`^ +${part}: `, 'm'));
    expect(alert).toContain(`runbook: docs/operating.md#${name.toLowerCase()}\n`);
    expect(headings).toContain(name);
  }
});
