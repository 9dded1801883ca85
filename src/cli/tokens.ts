import '#process/supported-node';
import { tokens } from '#cli/token-commands';
import { runCommandLine } from './command-line.ts';

await runCommandLine(tokens);
