import type { Mutations } from './mutation.ts';

/** The start of the service: its Node, its arguments, and its errors. */
export const start: Mutations[] = [
  {
    file: 'src/process/supported-node.ts',
    tests: ['process/node-version.test.ts'],
    changes: [
      ['const OLDEST = [22, 19]', 'const OLDEST = [22, 18]'],
      ['major === OLDEST[0] && minor', 'minor'],
      ['process.exit(2)', 'process.exit(1)'],
    ],
  },
  {
    file: 'src/main.ts',
    tests: ['process/node-version.test.ts'],
    changes: [["import '#process/supported-node';\n", '']],
  },
  {
    file: 'src/cli/archive.ts',
    tests: ['process/node-version.test.ts'],
    changes: [["import '#process/supported-node';\n", '']],
  },
  {
    file: 'src/process/start.ts',
    tests: ['process/starter.test.ts'],
    changes: [
      ['{ ...NODE_ENVIRONMENT, ...process.env }', '{ ...process.env, ...NODE_ENVIRONMENT }'],
      ['[...NODE_FLAGS, ...process.execArgv, ', '[...process.execArgv, ...NODE_FLAGS, '],
      [" && process.platform !== 'win32'", ''],
      ['process.exitCode = await runChild', 'await runChild'],
      ["  process.on('SIGTERM', () => child.kill('SIGTERM'));\n", ''],
      ["'inherit', 'ipc'", "'inherit'"],
      ["process.emit('SIGTERM', 'SIGTERM')", "process.emit('SIGHUP', 'SIGHUP')"],
      ['process.env[name] !== undefined', 'process.env[name] === undefined'],
    ],
  },
  {
    file: 'src/process/start.ts',
    tests: ['process/starter.test.ts'],
    changes: [
      ['} else if (args.length > 0) {', '} else if (args.length > 1) {'],
      ['    stopWithParent();\n', ''],
      ['process.exitCode = 2', 'process.exitCode = 1'],
    ],
  },
  {
    file: 'src/process/announcement.ts',
    tests: ['process/announcement.test.ts'],
    changes: [
      [" || address === '::'", ''],
      ["address.includes(':') ? `[${address}]` : address", 'address'],
    ],
  },
  {
    file: 'src/serve.ts',
    tests: ['process/built.test.ts'],
    changes: [
      ['if (process.stdout.isTTY)', 'if (!process.stdout.isTTY)'],
      ['urlOf(address) + settings.basePath', 'urlOf(address)'],
    ],
  },
  {
    file: 'src/process/exit.ts',
    tests: ['process/exit.test.ts'],
    changes: [
      ['  EADDRINUSE: ', '  EADDRINUSED: '],
      ["address?.includes(':')", "address?.includes('::::')"],
      ["syscall === 'getaddrinfo'", "syscall === 'getaddr'"],
    ],
  },
  {
    file: 'src/open.ts',
    tests: ['cli/demo-settings.test.ts'],
    changes: [['if (metricsPort !== undefined) {', 'if (metricsPort === 0) {']],
  },
  {
    file: 'src/cli/run-demo.ts',
    tests: ['cli/demo-settings.test.ts'],
    changes: [['environment.PORT !== undefined || ', '']],
  },
  {
    file: 'src/cli/demo-environment.ts',
    tests: ['cli/demo-environment.test.ts'],
    changes: [
      ['...given, ...fixed }', '...fixed }'],
      ['...given, ...fixed }', '...fixed, ...given }'],
      [' && given[name] !== fixed[name]', ''],
      ["LOG_REQUESTS === undefined ? 'error' : ''", "'error'"],
    ],
  },
  {
    file: 'src/cli/demo-guide.ts',
    tests: ['cli/demo-settings.test.ts'],
    changes: [["['DATABASE_URL', ...settings]", 'settings']],
  },
  {
    file: 'src/cli/configured-database.ts',
    tests: ['cli/which-database.test.ts', 'cli/which-database.server.test.ts'],
    changes: [
      ['if (!hasUsers) ', 'if (hasUsers) '],
      ['hosts.map(({ name }) => name).join()', 'databaseUrl'],
      ['in ${resolve(dataDir)} has', 'in ${dataDir} has'],
    ],
  },
  {
    file: 'scripts/prepare.js',
    tests: ['process/without-shell.test.ts'],
    changes: [
      ["exists('node_modules/rolldown') && ", 'true || '],
      ["exists('build/main.js') && ", ''],
    ],
  },
];
