import type { CommandLine } from '#cli/command-line';
import { importUsage, runImport } from './archive-import.ts';
import { importCandlesUsage, runImportCandles } from './archive-import-candles.ts';
import { purgeUsage, runPurge } from './archive-purge.ts';
import { runStatus, statusUsage } from './archive-status.ts';

const USAGE = `Manages the archive of prices and candles.

${importUsage}
${importCandlesUsage}
${statusUsage}
${purgeUsage}
Uses DATABASE_URL, or the embedded database in DATA_DIR, also while the service runs.
Exit codes: 0 done, 1 failed, 2 wrong usage, settings or data directory, 130 interrupted.
`;

export const archive: CommandLine = {
  name: 'archive',
  usage: USAGE,
  commands: { import: runImport, 'import-candles': runImportCandles, status: runStatus, purge: runPurge },
};
