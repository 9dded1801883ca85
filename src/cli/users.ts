import '#process/supported-node';
import { users } from '#cli/user-commands';
import { runCommandLine } from './command-line.ts';

await runCommandLine(users);
