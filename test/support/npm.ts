import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';

/** The path of npm's command-line script, to be run with Node. */
export const NPM = realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim());
