import { Problem, type ProblemCode } from '#core/problems';
import { EXIT, ExitError } from '#process/exit';

/** The remedy of a problem on the command line. The API's own detail names paths, or nothing. */
const REMEDIES: Partial<Record<ProblemCode, (detail: string) => string>> = {
  not_found: (detail) => `${detail} See \`npm run users -- list\` and \`npm run users -- show <key>\`.`,
  api_key_revoked: () => 'The user was erased and cannot be changed.',
  last_owner_key: () =>
    'The last owner key cannot be revoked alone: replace it (`rotate <key>`), or revoke all keys (`revoke <key>`).',
};

/** Rethrows an error. A problem names a command as its remedy. */
export function inCommands(error: unknown): never {
  const remedy = error instanceof Problem ? REMEDIES[error.code]?.(error.message) : undefined;
  throw remedy === undefined ? error : new ExitError(remedy, EXIT.failed, error);
}
