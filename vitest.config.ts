import { defineConfig, type TestProjectConfiguration, type ViteUserConfig } from 'vitest/config';

const STORE_TESTS = 'test/**/*.store.test.ts';
const SERVER_TESTS = 'test/**/*.server.test.ts';

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
    test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: [STORE_TESTS, SERVER_TESTS] },
  },
  {
    extends: true,
    test: { name: 'embedded', include: [STORE_TESTS], globalSetup: 'test/support/global-setup.ts' },
  },
];

export default defineConfig(async (): Promise<ViteUserConfig> => {
  if (await isServerWithinReach()) {
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
