import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createMetrics, type Readings } from '#core/metrics/metrics';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

const readings: Readings = {
  requests: () => [],
  upstreams: () => [],
  staleness: () => [],
  memory: () => ({ bytes: 0, mostBytes: 1 }),
  leases: () => ({
    ...{ leases: 0, granted: 0, unspent: 0, unsettled: 0, settled: 0, refunded: 0, tick: 1_000 },
    waits: { counts: [], sum: 0 },
  }),
  isDatabaseUp: async () => true,
};

/** Every name under which a series of the service can appear. */
async function exposedNames(): Promise<Set<string>> {
  const metrics = createMetrics();
  metrics.read(readings);
  const types = [...(await metrics.text()).matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  return new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['bucket', 'count', 'sum'].map((part) => `${name}_${part}`) : [name],
    ),
  );
}

test.each(['ops/alerts.yml', 'ops/alerts.test.yml', 'ops/alerts.month.test.yml'])(
  'every metric that is named in %s is one that the service has',
  async (file) => {
    const text = read(file).replaceAll(/^\s*#.*$/gm, '');
    const named = new Set(text.match(/\b(?:quotient|nodejs|process)_\w+/g));
    expect(named.size).toBeGreaterThan(0);
    const exposed = await exposedNames();
    expect([...named].filter((name) => !exposed.has(name))).toEqual([]);
  },
);

test('every metric of ours is in the list of the operator’s page, and nothing else', async () => {
  const listed = new Set(
    [...read('docs/operating.md').matchAll(/^\| `(quotient_\w+)/gm)].map(([, name]) => name),
  );
  const names = [...(await exposedNames())].filter((name) => name.startsWith('quotient_'));
  expect(listed).toEqual(new Set(names.map((name) => name.replace(/_(bucket|count|sum)$/, ''))));
});

test('every alert says what it means and what to do, and names its section of the operator’s page', () => {
  const [, ...alerts] = read('ops/alerts.yml').split(/^ +- alert: /m);
  const headings = [...read('docs/operating.md').matchAll(/^#+ (\w+)$/gm)].map(([, name]) => name);
  expect(alerts.length).toBeGreaterThan(10);
  for (const alert of alerts) {
    const name = /^\w+/.exec(alert)?.[0] ?? '';
    expect(alert).toMatch(/^ +severity|labels: \{ severity: (critical|warning) \}/m);
    for (const part of ['summary', 'description'])
      expect(alert, name).toMatch(new RegExp(`^ +${part}: `, 'm'));
    expect(alert).toContain(`runbook: docs/operating.md#${name.toLowerCase()}\n`);
    expect(headings).toContain(name);
  }
});
