import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { OPS, readOps } from './files.ts';

const isInstalled = spawnSync('kubectl', ['kustomize', '--help']).status === 0;
if (!isInstalled) console.log('kubectl is not installed: the kustomization is not built.');

const { spec } = parse(readOps('kubernetes/deployment.yaml')).spec.template;
const [container] = spec.containers;
const settings = parse(readOps('kubernetes/settings.yaml')).data as Record<string, string>;

it.runIf(isInstalled)(
  'the kustomization builds: each object is in the namespace, with the image of the release',
  () => {
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', join(OPS, 'kubernetes')], {
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    const objects = parseAllDocuments(stdout).map((document) => document.toJS());
    expect(objects.map(({ kind }) => kind).sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Namespace',
      'PodDisruptionBudget',
      'Service',
    ]);
    for (const { kind, metadata } of objects)
      if (kind !== 'Namespace') expect(metadata.namespace, kind).toBe('quotient');
    const { version } = parse(readOps('../package.json')) as { version: string };
    expect(stdout).toContain(`image: registry.example.org/quotient:${version}`);
  },
);

it('the pods listen at the ports that are probed and scraped, and read the secrets that are mounted', () => {
  const ports = Object.fromEntries(
    container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [name, containerPort]),
  );
  expect(ports).toEqual({ http: 8080, metrics: Number(settings.METRICS_PORT) });
  const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
  expect(probes.map(({ httpGet }) => httpGet)).toEqual([
    { path: '/health/live', port: 'http' },
    { path: '/health/live', port: 'http' },
    { path: '/health/ready', port: 'http' },
  ]);
  const folders = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
  const files = Object.entries(settings).filter(([name]) => name.endsWith('_FILE'));
  expect(files.length).toBeGreaterThan(0);
  for (const [, path] of files) expect(folders).toContain(path.replace(/\/[^/]+$/, ''));
});

it('a pod has the time to stop: for preStop, and then for the running requests', () => {
  const [, pause] = container.lifecycle.preStop.exec.command;
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(Number(pause) + 10);
});
