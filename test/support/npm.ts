import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';

/** The file of npm's command line, for a Node to run. */
export const NPM = realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim());

export const WORD_SPLITTING_SHELL = resolve('test/support/word-splitting-shell');
