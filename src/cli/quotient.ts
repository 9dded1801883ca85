#!/usr/bin/env -S node --
import '#process/supported-node';

// Without `--` in the first line, Node reads a file of `--env-file` itself, and exits with code 9 if it is missing.
// The rest is imported dynamically: static imports are parsed before any module runs, and an old Node cannot parse some modules.
void import('./command-line.ts').then(({ runProcess }) => runProcess(process.argv.slice(2)));
