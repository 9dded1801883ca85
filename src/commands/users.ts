import '../supported-node.ts';
import { runCommandLine } from './command-line.ts';
import { users } from './users/users.ts';

await runCommandLine(users);
