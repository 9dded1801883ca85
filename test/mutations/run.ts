import { parseArgs } from 'node:util';
import { installPackages, runProgram } from '../../fixtures/install.ts';
import { ROOMS } from './rooms.ts';

// `npm run test:mutations -- <room> [files of src]` mutates a room, and prints the mutants that its unit tests miss.

const [room, ...files] = parseArgs({ allowPositionals: true }).positionals;
if (room === undefined || !(room in ROOMS)) {
  console.error(`The room must be one of ${Object.keys(ROOMS).join(', ')}.`);
  process.exit(2);
}
installPackages('test/mutations');
runProgram(
  'test/mutations/node_modules/@stryker-mutator/core/bin/stryker.js',
  ['run', 'test/mutations/stryker.config.js'],
  { MUTATION_ROOM: room, ...(files.length > 0 && { MUTATION_FILES: files.join(' ') }) },
);
