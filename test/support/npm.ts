import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';

/** The path of npm's command-line script, to be run with Node. */
export const NPM = realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim());

export const WORD_SPLITTING_SHELL = resolve('test/support/word-splitting-shell');
