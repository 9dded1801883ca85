import '#process/supported-node';
import { tokens } from '#cli/tokens/tokens';
import { runCommandLine } from './command-line.ts';

await runCommandLine(tokens);
