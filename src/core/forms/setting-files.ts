import { readFileSync } from 'node:fs';
import { toError } from '../errors.ts';

/** A file from which a setting is read, or the reason why its value is unusable. */
export type SettingFile = { path: string; value: string } | { fault: string };

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'it does not exist',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};

/** If a secret was set in place of the path, it is not repeated. */
const nameOf = (path: string) => (path.includes('/') && !path.includes('://') ? path : 'the file');

/** Reads the value of a setting from the file that `NAME_FILE` names. */
export function readSettingFile(name: string, path: string): SettingFile {
  let value: string;
  try {
    value = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const { code = '' } = toError(error);
    return { fault: `${name}_FILE: cannot read ${nameOf(path)}: ${REASONS[code] ?? code}` };
  }
  if (value === '') return { fault: `${name}_FILE: ${nameOf(path)} is empty` };
  if (/[\r\n]/.test(value)) return { fault: `${name}_FILE: ${nameOf(path)} must contain a single line` };
  return { path, value };
}
