import type { TestProjectInlineConfiguration } from 'vitest/config';
import { hasCitus } from '../fixtures/citus-cluster.ts';
import { missingPrograms } from './failover/programs.ts';

/* The suites that have their own command, because they take minutes or need an idle machine. */

export type Suite = NonNullable<TestProjectInlineConfiguration['test']>;

export const SERVER_TESTS = 'test/**/*.server.test.ts';
const DOCKER_TESTS = 'test/**/*.docker.test.ts';
const IMAGE_TESTS = 'test/**/*.image.test.ts';
const HOSTILE_TESTS = 'test/hostile/**/*.test.ts';
const UPGRADE_TESTS = 'test/upgrade/**/*.test.ts';
const FAILOVER_TESTS = 'test/failover/**/*.test.ts';
const DISTRIBUTED_TESTS = 'test/distributed/**/*.test.ts';
const OUTSIDE_TESTS = 'test/outside/**/*.test.ts';
export const SUITE_TESTS = [
  DOCKER_TESTS,
  IMAGE_TESTS,
  HOSTILE_TESTS,
  UPGRADE_TESTS,
  FAILOVER_TESTS,
  DISTRIBUTED_TESTS,
  OUTSIDE_TESTS,
];

export const DATABASE_SETUP = 'test/support/database/global-setup.ts';
export const SERVICE_SETUP = 'test/support/service/bundle.ts';

/**
 * These tests attack the built service and measure the effect on another client, so nothing else should run at the same
 * time. A failed test is retried once, in case the machine was busy.
 */
const hostile: Suite = {
  name: 'hostile',
  include: [HOSTILE_TESTS],
  // Database failures are tested with a server only: the embedded database is part of the process.
  exclude: process.env.TEST_DATABASE_URL ? [] : [SERVER_TESTS],
  globalSetup: 'test/hostile/global-setup.ts',
  testTimeout: 120_000,
  maxWorkers: 4,
  retry: 1,
};

/** Runs clients, generators and linters of others, which `test/outside` installs. */
const outside: Suite = { name: 'outside', include: [OUTSIDE_TESTS], globalSetup: DATABASE_SETUP };

const docker: Suite = {
  name: 'docker',
  include: [DOCKER_TESTS],
  fileParallelism: false,
  testTimeout: 300_000,
  hookTimeout: 600_000,
};

/** Builds two releases, and replaces the processes of one with those of the other. */
const upgrade: Suite = { name: 'upgrade', include: [UPGRADE_TESTS], globalSetup: DATABASE_SETUP };

/** Starts a PostgreSQL cluster under Patroni, whose members are killed, paused and cut off. */
const failover: Suite = {
  name: 'failover',
  include: [FAILOVER_TESTS],
  globalSetup: 'test/hostile/global-setup.ts',
  fileParallelism: false,
  testTimeout: 240_000,
  hookTimeout: 120_000,
};

function failoverProjects(): Suite[] {
  const missing = missingPrograms();
  if (missing.length === 0) return [failover];
  console.log(
    `${missing.join(', ')} not found: the failover tests are skipped. To run them, install Patroni, etcd, HAProxy and PostgreSQL.`,
  );
  return [{ name: 'failover', include: [] }];
}

/** Runs the tests of the ledger on a Citus cluster of a coordinator and two workers. */
function distributedProjects(): Suite[] {
  if (!hasCitus)
    console.log('PostgreSQL has no extension citus: the tests on a cluster are skipped. To run them, install Citus.');
  const ledger = ['ledger-store', 'costs', 'first-calls', 'idle-leases', 'periods', 'returned-calls'];
  const stores = ledger.map((name) => `test/ledger/${name}.store.test.ts`);
  const include = [
    DISTRIBUTED_TESTS,
    ...stores,
    'test/ledger/processes/*.store.test.ts',
    'test/ledger/usage/{details-in-store,key-limits}.store.test.ts',
  ];
  const globalSetup = ['test/distributed/global-setup.ts', SERVICE_SETUP];
  const setup = { globalSetup, testTimeout: 240_000, hookTimeout: 120_000 };
  return [{ name: 'distributed', include: hasCitus ? include : [], ...(hasCitus && setup) }];
}

/** Runs the build steps of the image without Docker. */
const image: Suite = { name: 'image', include: [IMAGE_TESTS] };

/** The suites by Vitest's mode. */
export const SUITES: Readonly<Record<string, () => Suite[]>> = {
  hostile: () => [hostile],
  outside: () => [outside],
  image: () => [image],
  upgrade: () => [upgrade],
  docker: () => [docker],
  failover: failoverProjects,
  distributed: distributedProjects,
};
