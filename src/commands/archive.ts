import { importUsage, runImport } from './archive-import.ts';
import { runStatus, statusUsage } from './archive-status.ts';
import { runCommandLine } from './command-line.ts';

const USAGE = `The operator's view of the archive.

${importUsage}
${statusUsage}
The database is that of the settings: DATABASE_URL, or the embedded one in DATA_DIR, which no running
service may be using then. Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
`;

await runCommandLine(USAGE, { import: runImport, status: runStatus });
