import '../supported-node.ts';
import { archive } from './archive/archive.ts';
import { runCommandLine } from './command-line.ts';

await runCommandLine(archive);
