import '#process/supported-node';

const [{ runCommandLine }, { users }] = await Promise.all([
  import('./command-line.ts'),
  import('#cli/users/user-commands'),
]);
await runCommandLine(users);
