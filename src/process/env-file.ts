import { readFileSync, statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { toError } from '#core/errors';
import { ExitError } from './exit.ts';

/** Reads settings from a file, or from `.env` if it exists. The environment takes precedence. Throws `ExitError`. */
export function readEnvFile(path: string | undefined): void {
  const name = path ?? '.env';
  // Some tools of other languages create a directory `.env`.
  if (path === undefined && !statSync(name, { throwIfNoEntry: false })?.isFile()) return;
  let text: string;
  try {
    text = readFileSync(name, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const { code } = toError(error);
    throw new ExitError(`cannot read the settings file ${name} (${code}): correct its path or permissions`);
  }
  if (/\0|\uFFFD/.test(text)) throw new ExitError(`the settings file ${name} is not a text in UTF-8: save it as UTF-8`);
  for (const [variable, value] of Object.entries(parseEnv(text))) process.env[variable] ??= value;
}
