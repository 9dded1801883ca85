/** The parts of the application folder that the service requires. */
const NEEDED =
  /^(package\.json|LICENSE|node_modules\/.+|prisma\/migrations\/.+|build\/(?!client\/|console\/).+|dist\/((console|operator)\/.+|client\.tgz))$/;

/** The stand-ins for data sources, secrets, and git's own files. `demo` remains: it reports that they are missing. */
const FORBIDDEN = /(^|\/)(sandbox|\.env[^/]*|\.npmrc|\.git)(\/|$)/;

/** The files in the image's application folder that the service does not require. Packages are not checked. */
export const superfluousFiles = (files: readonly string[]) =>
  files.filter((file) => !NEEDED.test(file) || (!file.startsWith('node_modules/') && FORBIDDEN.test(file)));
