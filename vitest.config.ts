import { spawnSync } from 'node:child_process';
import { defineConfig, type TestProjectConfiguration, type ViteUserConfig } from 'vitest/config';
import { findChromium } from './test/support/chromium.ts';

const STORE_TESTS = 'test/**/*.store.test.ts';
const SERVER_TESTS = 'test/**/*.server.test.ts';
const DOCKER_TESTS = 'test/**/*.docker.test.ts';
const BROWSER_TESTS = 'test/**/*.browser.test.ts';
const PROMTOOL_TESTS = 'test/**/*.promtool.test.ts';

async function isServerWithinReach(): Promise<boolean> {
  if (process.env.TEST_DATABASE_URL) return true;
  const { getContainerRuntimeClient } = await import('testcontainers');
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
}

const projects: TestProjectConfiguration[] = [
  {
    extends: true,
    test: {
      name: 'unit',
      include: ['test/**/*.test.ts'],
      exclude: [STORE_TESTS, SERVER_TESTS, DOCKER_TESTS, BROWSER_TESTS, PROMTOOL_TESTS],
    },
  },
  {
    extends: true,
    test: { name: 'embedded', include: [STORE_TESTS], globalSetup: 'test/support/global-setup.ts' },
  },
];

export default defineConfig(async (): Promise<ViteUserConfig> => {
  if (process.env.TEST_DOCKER) {
    // They build an image and take minutes: `npm run test:docker` asks for them.
    projects.push({
      extends: true,
      test: {
        name: 'docker',
        include: [DOCKER_TESTS],
        fileParallelism: false,
        testTimeout: 300_000,
        hookTimeout: 600_000,
      },
    });
  } else if (await isServerWithinReach()) {
    projects.push({
      extends: true,
      test: {
        name: 'server',
        include: [STORE_TESTS, SERVER_TESTS],
        globalSetup: 'test/support/global-setup.ts',
      },
    });
  } else {
    console.log(
      'No PostgreSQL server: the tests that need one are left out. Set TEST_DATABASE_URL or start Docker.',
    );
  }
  if (findChromium()) {
    projects.push({
      extends: true,
      test: {
        name: 'browser',
        include: [BROWSER_TESTS],
        globalSetup: 'test/support/global-setup.ts',
        expect: { poll: { timeout: 15_000 } },
      },
    });
  } else {
    console.log(
      'No Chromium: the tests that need a browser are left out. Install it, or set CHROMIUM_PATH to have them.',
    );
  }
  if (spawnSync('promtool', ['--version']).status === 0) {
    projects.push({ extends: true, test: { name: 'promtool', include: [PROMTOOL_TESTS] } });
  } else {
    console.log('No promtool: the tests of the alert rules are left out. It comes with Prometheus.');
  }
  const outputFile = process.env.VITEST_JSON;
  return {
    test: {
      pool: 'forks',
      maxWorkers: 2,
      testTimeout: 30_000,
      hookTimeout: 60_000,
      reporters: outputFile ? ['default', ['json', { outputFile }]] : ['default'],
      projects,
    },
  };
});
