import type { TestProject } from 'vitest/node';
import { startCluster } from '../../fixtures/citus-cluster.ts';

/** All tests share the database of one cluster. Each uses its own users. */
export default async function setUp(project: TestProject) {
  const cluster = await startCluster();
  project.provide('databases', { kind: 'cluster', url: cluster.url });
  return cluster.close;
}
