import { globSync } from 'node:fs';

/** Whether Debian's PostgreSQL on this machine has the extension. */
export const hasCitus = globSync('/usr/share/postgresql/*/extension/citus.control').length > 0;
