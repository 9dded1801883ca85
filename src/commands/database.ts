import { runCommandLine } from './command-line.ts';
import { copyUsage, runCopy } from './database-copy.ts';

const USAGE = `Moves the database.

${copyUsage}
Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
`;

await runCommandLine(USAGE, { copy: runCopy });
