import { toError } from '#core/errors';
import { type Database, openDatabase } from '#database/database';
import { DIRECTORY_REFUSALS } from '#database/embedded/data-directory';
import { EXIT, ExitError } from './exit.ts';

/** Codes of errors of the database that other settings fix. */
export const REFUSED = new Set([...DIRECTORY_REFUSALS, 'MALFORMED_URL', 'UNSUITABLE']);

export function isUnreachable(error: unknown): error is ExitError {
  return error instanceof ExitError && toError(error.cause).code === 'UNREACHABLE';
}

export async function openConfiguredDatabase(
  { databaseUrl, dataDir }: { databaseUrl: string | undefined; dataDir: string },
  options: Pick<Parameters<typeof openDatabase>[0], 'statementMs' | 'isShared' | 'onEnd' | 'patience'> = {},
): Promise<Database> {
  try {
    return await openDatabase({ url: databaseUrl, dataDir, ...options });
  } catch (error) {
    const { message, code } = toError(error);
    throw new ExitError(message, REFUSED.has(String(code)) ? EXIT.refused : EXIT.failed, error);
  }
}
