import '#process/supported-node';

// Imported dynamically, because an old Node fails at static imports before it can report its version.
const [{ runCommandLine }, { users }] = await Promise.all([
  import('./command-line.ts'),
  import('#cli/users/user-commands'),
]);
await runCommandLine(users);
