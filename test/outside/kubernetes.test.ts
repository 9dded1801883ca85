import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

/* The manifests are checked against the schemas that Kubernetes and the Prometheus Operator publish. The packages contain
the schemas as validators, which accept unknown fields, and as types, with which TypeScript rejects them. */

const HERE = import.meta.dirname;
const FOLDER = join(HERE, '../../ops/kubernetes');
const MANIFESTS = globSync('*.yaml', { cwd: FOLDER, exclude: ['kustomization.yaml'] }).sort();

type Manifest = { apiVersion: string; kind: string };
const read = (file: string) => parse(readFileSync(join(FOLDER, file), 'utf8')) as Manifest;
const moduleOf = ({ apiVersion }: Manifest) =>
  apiVersion.startsWith('monitoring.coreos.com/')
    ? `@kubernetes-models/prometheus-operator/${apiVersion}`
    : `kubernetes-models/${apiVersion}`;

test.each(MANIFESTS)('%s has the form of its kind', async (file) => {
  const manifest = read(file);
  const kinds = await import(moduleOf(manifest));
  expect(() => new kinds[manifest.kind](manifest).validate()).not.toThrow();
});

test('the commands of the page make a rule object of each file of alerts', async () => {
  const page = readFileSync(join(FOLDER, '../../docs/production.md'), 'utf8');
  const [loop = ''] = /^for file in ops\/alerts.*?^done\n/ms.exec(page) ?? [];
  const script = loop.replace('kubectl -n quotient apply -f -', '{ cat; echo; echo ---; }');
  const { stdout } = spawnSync('sh', ['-c', script], { cwd: join(FOLDER, '../..'), encoding: 'utf8' });
  const rules = parseAllDocuments(stdout).flatMap((document) => (document.toJS() ? [document.toJS() as Manifest] : []));
  expect(rules.length).toBe(globSync('alerts/*.yml', { cwd: join(FOLDER, '..') }).length);
  for (const rule of rules) {
    const kinds = await import(moduleOf(rule));
    expect(() => new kinds[rule.kind](rule).validate()).not.toThrow();
  }
  expect(faultsOf(rules)).toBe('');
});

/** What TypeScript says about the manifests, as literals of their types. */
function faultsOf(manifests: readonly Manifest[]): string {
  const folder = mkdtempSync(join(HERE, 'kubernetes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [place, manifest] of manifests.entries()) {
    const text = `import type { I${manifest.kind} } from '${moduleOf(manifest)}';
export const manifest: I${manifest.kind} = ${JSON.stringify(manifest)};\n`;
    writeFileSync(join(folder, `manifest-${place}.ts`), text);
  }
  const compiler = join(HERE, 'node_modules/typescript/bin/tsc');
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--moduleResolution', 'nodenext'];
  const files = manifests.map((_, place) => join(folder, `manifest-${place}.ts`));
  const { stdout, status } = spawnSync(process.execPath, [compiler, ...options, ...files], { encoding: 'utf8' });
  return status === 0 ? '' : stdout;
}

test('the manifests have no unknown field', () => {
  expect(MANIFESTS.length).toBeGreaterThan(6);
  const manifests = MANIFESTS.map(read);
  expect(faultsOf(manifests)).toBe('');
  const [deployment] = manifests.filter(({ kind }) => kind === 'Deployment');
  const misspelled = JSON.parse(JSON.stringify(deployment).replace('readinessProbe', 'readynessProbe'));
  expect(faultsOf([misspelled])).toContain('readynessProbe');
});
