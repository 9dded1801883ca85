import { spawnSync } from 'node:child_process';
import { defineConfig, type TestProjectConfiguration, type ViteUserConfig } from 'vitest/config';
import { hasCitus } from './fixtures/citus-cluster.ts';
import { missingPrograms } from './test/failover/programs.ts';
import { findChromium } from './test/support/browser/chromium.ts';
import { findPgBouncer } from './test/support/database/pooler.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { SHORT_LIVED } from './test/support/node-arguments.ts';

const STORE_TESTS = 'test/**/*.store.test.ts';
const SERVER_TESTS = 'test/**/*.server.test.ts';
const DOCKER_TESTS = 'test/**/*.docker.test.ts';
const IMAGE_TESTS = 'test/**/*.image.test.ts';
const BROWSER_TESTS = 'test/**/*.browser.test.ts';
const PROMTOOL_TESTS = 'test/**/*.promtool.test.ts';
const HOSTILE_TESTS = 'test/hostile/**/*.test.ts';
const UPGRADE_TESTS = 'test/upgrade/**/*.test.ts';
const FAILOVER_TESTS = 'test/failover/**/*.test.ts';
const DISTRIBUTED_TESTS = 'test/distributed/**/*.test.ts';
const OUTSIDE_TESTS = 'test/outside/**/*.test.ts';

/**
 * These store tests also run on a server: its locks, sessions, time zones and collations can affect the statements of
 * these folders. The other store tests call the service over HTTP, or repeat statements that `*.server.test.ts` runs.
 */
const STORE_TESTS_ON_SERVER = [
  'test/{catalogue,database,keys,ledger,notifications,operator,status,upstream,users}/**/*.store.test.ts',
  'test/prices/{candles,refresh,series}/**/*.store.test.ts',
];

/**
 * These store tests also run through a connection pooler: they test the connection, arrays, time stamps, deletions in
 * batches, and rows that several statements lock.
 */
const STORE_TESTS_POOLED = [
  'test/database/**/*.store.test.ts',
  'test/ledger/ledger-store.store.test.ts',
  'test/upstream/claims-and-budgets-store.store.test.ts',
  'test/notifications/outbox-store.store.test.ts',
];

/** Several processes must return their calls to each other within seconds, so these tests run after all others. */
const TIMED_TESTS = 'test/ledger/processes/costs.server.test.ts';

const DATABASE_SETUP = 'test/support/database/global-setup.ts';
const SERVICE_SETUP = 'test/support/service/bundle.ts';
const CONSOLE_SETUP = 'test/support/browser/global-setup.ts';
const SET_UP = 'test/support/set-up.ts';

const isServerAvailable = () =>
  Boolean(process.env.TEST_DATABASE_URL) || spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0;

/** The tests that need only Node: `npm test`. */
const standalone: TestProjectConfiguration[] = [
  {
    extends: true,
    test: {
      name: 'unit',
      include: ['test/**/*.test.ts'],
      globalSetup: SERVICE_SETUP,
      exclude: [
        STORE_TESTS,
        SERVER_TESTS,
        DOCKER_TESTS,
        IMAGE_TESTS,
        BROWSER_TESTS,
        PROMTOOL_TESTS,
        HOSTILE_TESTS,
        FAILOVER_TESTS,
        DISTRIBUTED_TESTS,
        OUTSIDE_TESTS,
      ],
    },
  },
  {
    extends: true,
    test: {
      name: 'embedded',
      include: [STORE_TESTS],
      exclude: [OUTSIDE_TESTS],
      globalSetup: [DATABASE_SETUP, SERVICE_SETUP],
    },
  },
];

function serverProjects(): TestProjectConfiguration[] {
  const globalSetup = [DATABASE_SETUP, SERVICE_SETUP];
  const setupFiles = [SET_UP, 'test/support/database/statements.ts'];
  const include = [SERVER_TESTS, ...STORE_TESTS_ON_SERVER];
  const exclude = [HOSTILE_TESTS, UPGRADE_TESTS, OUTSIDE_TESTS, TIMED_TESTS];
  const server = { name: 'server', include, exclude, globalSetup, setupFiles };
  const timed = { name: 'timed', include: [TIMED_TESTS], globalSetup, setupFiles, sequence: { groupOrder: 1 } };
  // All connections to a database share three sessions, so that state left in a session reaches other transactions.
  const pooled = { name: 'pooled', include: STORE_TESTS_POOLED, globalSetup: DATABASE_SETUP };
  return [server, timed, ...(findPgBouncer() ? [pooled] : [])].map((test) => ({ extends: true, test }));
}

/** The projects of `npm run test:services`, except those whose requirements this machine does not meet. */
function servicesProjects(): TestProjectConfiguration[] {
  const projects: TestProjectConfiguration[] = [];
  if (isServerAvailable()) {
    projects.push(...serverProjects());
    if (!findPgBouncer())
      console.log('PgBouncer not found: the tests with a connection pooler are skipped. Install it to run them.');
  } else {
    console.log(
      'No PostgreSQL server: the tests that need one are skipped. Set TEST_DATABASE_URL or start Docker to run them.',
    );
  }
  if (findChromium()) {
    projects.push({
      extends: true,
      test: { name: 'browser', include: [BROWSER_TESTS], globalSetup: [DATABASE_SETUP, CONSOLE_SETUP] },
    });
  } else {
    console.log(
      'Chromium not found: the tests that need a browser are skipped. Install it or set CHROMIUM_PATH to run them.',
    );
  }
  if (spawnSync('promtool', ['--version']).status === 0) {
    projects.push({ extends: true, test: { name: 'promtool', include: [PROMTOOL_TESTS] } });
  } else {
    console.log('promtool not found: the tests of the alert rules are skipped. Install Prometheus to run them.');
  }
  return projects;
}

/**
 * These tests attack the built service and measure the effect on another client, so nothing else should run at the same
 * time. A failed test is retried once, in case the machine was busy.
 */
const hostile: TestProjectConfiguration = {
  extends: true,
  test: {
    name: 'hostile',
    include: [HOSTILE_TESTS],
    // Database failures are tested with a server only: the embedded database is part of the process.
    exclude: process.env.TEST_DATABASE_URL ? [] : [SERVER_TESTS],
    globalSetup: 'test/hostile/global-setup.ts',
    testTimeout: 120_000,
    maxWorkers: 4,
    retry: 1,
  },
};

/** Runs clients, generators and linters of others, which `test/outside` installs. */
const outside: TestProjectConfiguration = {
  extends: true,
  test: { name: 'outside', include: [OUTSIDE_TESTS], globalSetup: DATABASE_SETUP },
};

const docker: TestProjectConfiguration = {
  extends: true,
  test: {
    name: 'docker',
    include: [DOCKER_TESTS],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 600_000,
  },
};

/** Builds two releases, and replaces the processes of one with those of the other. */
const upgrade: TestProjectConfiguration = {
  extends: true,
  test: { name: 'upgrade', include: [UPGRADE_TESTS], globalSetup: DATABASE_SETUP },
};

/** Starts a PostgreSQL cluster under Patroni, whose members are killed, paused and cut off. */
const failover: TestProjectConfiguration = {
  extends: true,
  test: {
    name: 'failover',
    include: [FAILOVER_TESTS],
    globalSetup: 'test/hostile/global-setup.ts',
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 120_000,
  },
};

function failoverProjects(): TestProjectConfiguration[] {
  const missing = missingPrograms();
  if (missing.length === 0) return [failover];
  console.log(
    `${missing.join(', ')} not found: the failover tests are skipped. To run them, install Patroni, etcd, HAProxy and PostgreSQL.`,
  );
  return [{ extends: true, test: { name: 'failover', include: [] } }];
}

/** Runs the tests of the ledger on a Citus cluster of a coordinator and two workers. */
function distributedProjects(): TestProjectConfiguration[] {
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
  return [{ extends: true, test: { name: 'distributed', include: hasCitus ? include : [], ...(hasCitus && setup) } }];
}

/** Runs the build steps of the image without Docker. */
const image: TestProjectConfiguration = {
  extends: true,
  test: { name: 'image', include: [IMAGE_TESTS] },
};

/** Suites that take minutes, such as attacks and image builds, have their own mode: see `npm run test:hostile`. */
function projectsOf(mode: string): TestProjectConfiguration[] {
  if (mode === 'hostile') return [hostile];
  if (mode === 'outside') return [outside];
  if (mode === 'image') return [image];
  if (mode === 'upgrade') return [upgrade];
  if (mode === 'failover') return failoverProjects();
  if (mode === 'distributed') return distributedProjects();
  if (mode === 'docker') return [docker];
  if (mode === 'services') return servicesProjects();
  return mode === 'long' ? [...standalone, ...servicesProjects()] : standalone;
}

export default defineConfig(({ mode }): ViteUserConfig => {
  // The pages use the formats of the locale, which Node and Chromium take from this variable.
  process.env.LC_ALL = 'C.UTF-8';
  // No result depends on the time zone of the machine. This one has daylight saving time and half an hour.
  process.env.TZ = 'America/St_Johns';
  if (mode === 'long') process.env.TEST_LONG = '1';
  const projects = projectsOf(mode);
  const outputFile = process.env.VITEST_JSON;
  return {
    test: {
      pool: 'forks',
      // Twice the number of cores of a small machine: many tests wait for a deadline, a process or a disk.
      maxWorkers: 4,
      sequence: { sequencer: LongestFirst },
      // A larger young generation saves a tenth of the CPU time, because fewer objects survive a collection.
      execArgv: [...SHORT_LIVED, '--max-semi-space-size=64'],
      setupFiles: SET_UP,
      // Test files restore all shared state that they change, so the modules are loaded once for all files.
      isolate: false,
      restoreMocks: true,
      unstubGlobals: true,
      passWithNoTests: mode === 'failover' || mode === 'distributed',
      testTimeout: 60_000,
      hookTimeout: 60_000,
      // A machine of a CI service may be busy with other work. The report names the tests that were retried.
      retry: process.env.CI ? 1 : 0,
      // Polled conditions are met immediately, except on a busy machine.
      expect: { poll: { timeout: 15_000 } },
      reporters: outputFile ? ['default', ['json', { outputFile }]] : ['default'],
      projects,
    },
  };
});
