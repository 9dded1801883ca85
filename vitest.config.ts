import { spawnSync } from 'node:child_process';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { DATABASE_SETUP, SERVER_TESTS, SERVICE_SETUP, SUITE_TESTS, SUITES, type Suite } from './test/suites.ts';
import { findChromium } from './test/support/browser/chromium.ts';
import { findPgBouncer } from './test/support/database/pooler.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { SHORT_LIVED } from './test/support/node-arguments.ts';

const STORE_TESTS = 'test/**/*.store.test.ts';
const BROWSER_TESTS = 'test/**/*.browser.test.ts';
const PROMTOOL_TESTS = 'test/**/*.promtool.test.ts';

/** Most of these tests start programs: the service, commands, `curl`, or a service that is killed. */
const PROCESS_TESTS = 'test/{process,cli,chaos,ops,docs/examples}/**/*.test.ts';

/**
 * These store tests also run on a server, whose locks, sessions, time zones and collations can affect their statements:
 * those of the folders with concurrent statements, and those of single stores. The other store tests call the service
 * over HTTP.
 */
const STORE_TESTS_ON_SERVER = [
  'test/{database,keys,ledger,upstream,users}/**/*.store.test.ts',
  'test/prices/{candles,series}/**/*.store.test.ts',
  'test/**/*-store.store.test.ts',
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

const CONSOLE_SETUP = 'test/support/browser/global-setup.ts';
const SET_UP = 'test/support/set-up.ts';

const isServerAvailable = () =>
  Boolean(process.env.TEST_DATABASE_URL) || spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0;

const ON_OTHER_PROGRAMS = [SERVER_TESTS, BROWSER_TESTS, PROMTOOL_TESTS];

/** The tests within one process: `npm test`. */
const withinProcess: Suite[] = [
  {
    name: 'unit',
    include: ['test/**/*.test.ts'],
    exclude: [STORE_TESTS, PROCESS_TESTS, ...ON_OTHER_PROGRAMS, ...SUITE_TESTS],
    globalSetup: SERVICE_SETUP,
  },
  {
    name: 'embedded',
    include: [STORE_TESTS],
    exclude: [PROCESS_TESTS, ...SUITE_TESTS],
    globalSetup: [DATABASE_SETUP, SERVICE_SETUP],
  },
];

/** The tests that start programs. A test whose program is missing is skipped. */
const processes: Suite = {
  name: 'processes',
  include: [PROCESS_TESTS],
  exclude: ON_OTHER_PROGRAMS,
  globalSetup: [DATABASE_SETUP, SERVICE_SETUP],
};

function serverProjects(): Suite[] {
  const globalSetup = [DATABASE_SETUP, SERVICE_SETUP];
  const setupFiles = [SET_UP, 'test/support/database/statements.ts'];
  const include = [SERVER_TESTS, ...STORE_TESTS_ON_SERVER];
  const exclude = [...SUITE_TESTS, TIMED_TESTS];
  const server = { name: 'server', include, exclude, globalSetup, setupFiles };
  const timed = { name: 'timed', include: [TIMED_TESTS], globalSetup, setupFiles, sequence: { groupOrder: 1 } };
  // All connections to a database share three sessions, so that state left in a session reaches other transactions.
  const pooled = { name: 'pooled', include: STORE_TESTS_POOLED, globalSetup: DATABASE_SETUP };
  if (findPgBouncer()) return [server, timed, pooled];
  console.log('PgBouncer not found: the tests with a connection pooler are skipped. Install it to run them.');
  return [server, timed];
}

/** The projects of `npm run test:services`, except those whose requirements this machine does not meet. */
function servicesProjects(): Suite[] {
  const projects = [processes];
  if (isServerAvailable()) {
    projects.push(...serverProjects());
  } else {
    console.log(
      'No PostgreSQL server: the tests that need one are skipped. Set TEST_DATABASE_URL or start Docker to run them.',
    );
  }
  if (findChromium()) {
    projects.push({ name: 'browser', include: [BROWSER_TESTS], globalSetup: [DATABASE_SETUP, CONSOLE_SETUP] });
  } else {
    console.log(
      'Chromium not found: the tests that need a browser are skipped. Install it or set CHROMIUM_PATH to run them.',
    );
  }
  if (spawnSync('promtool', ['--version']).status === 0) {
    projects.push({ name: 'promtool', include: [PROMTOOL_TESTS] });
  } else {
    console.log('promtool not found: the tests of the alert rules are skipped. Install Prometheus to run them.');
  }
  return projects;
}

function projectsOf(mode: string): Suite[] {
  if (mode === 'services') return servicesProjects();
  if (mode === 'long') return [...withinProcess, ...servicesProjects()];
  return SUITES[mode]?.() ?? withinProcess;
}

export default defineConfig(({ mode }): ViteUserConfig => {
  // The pages use the formats of the locale, which Node and Chromium take from this variable.
  process.env.LC_ALL = 'C.UTF-8';
  // No result depends on the time zone of the machine. This one has daylight saving time and half an hour.
  process.env.TZ = 'America/St_Johns';
  if (mode === 'long') process.env.TEST_LONG = '1';
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
      projects: projectsOf(mode).map((test) => ({ extends: true, test })),
    },
  };
});
