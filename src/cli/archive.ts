import '#process/supported-node';
import { archive } from '#cli/archive/archive';
import { runCommandLine } from './command-line.ts';

await runCommandLine(archive);
