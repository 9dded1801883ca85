// The first import of every entry point. If Node is too old, prints one line and exits. This file must have no imports
// and no syntax newer than ES2020.

/** undici 8 requires this version. Must equal `engines` in package.json. */
const OLDEST = [22, 19] as const;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  process.stderr.write(`Quotient needs Node ${OLDEST.join('.')} or newer; this is ${process.version}.\n`);
  process.exit(2);
}

export {};
