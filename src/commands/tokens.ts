import '../supported-node.ts';
import { runCommandLine } from './command-line.ts';
import { tokens } from './tokens/tokens.ts';

await runCommandLine(tokens);
