import { installPackages, runProgram } from '../../fixtures/install.ts';

// `npm run test:outside [-- arguments of Vitest]` runs the clients, generators and linters of others.

installPackages('test/outside');
runProgram('node_modules/vitest/vitest.mjs', ['run', '--mode', 'outside', ...process.argv.slice(2)]);
