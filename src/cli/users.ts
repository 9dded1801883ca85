import '#process/supported-node';
import { users } from '#cli/users/users';
import { runCommandLine } from './command-line.ts';

await runCommandLine(users);
