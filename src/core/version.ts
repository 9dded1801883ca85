import { existsSync, readFileSync } from 'node:fs';

const FORM = /^\d+\.\d+\.\d+$/;
const packageJson = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');

export const VERSION: string = JSON.parse(packageJson).version;

const REVISION_FILE = new URL('../revision', import.meta.url);
/** The commit of this release; `unknown` if the service runs from the sources. */
export const REVISION = existsSync(REVISION_FILE) ? readFileSync(REVISION_FILE, 'utf8').trim() : 'unknown';

/** Whether `version` equals `oldest` or is newer. Throws `RangeError` unless both have the form `major.minor.patch`. */
export function isAtLeast(version: string, oldest: string): boolean {
  for (const text of [version, oldest]) if (!FORM.test(text)) throw new RangeError(`not a version: ${text}`);
  return version.localeCompare(oldest, 'en', { numeric: true }) >= 0;
}
