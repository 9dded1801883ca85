import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Runs at the end of `npm ci`: generates and builds the files that the repository does not contain, and deletes files of
// packages that no script reads. Plain JavaScript, because without the development dependencies, any version of Node may
// run it.

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const exists = (/** @type {string} */ path) => existsSync(`${ROOT}${path}`);

/** A quarter of what npm installs: Node's headers, source maps, and Prisma's query compilers for other databases. */
const UNUSED = [
  'node_modules/node/node_modules/*/include',
  'node_modules/**/*.map',
  'node_modules/@prisma/client/runtime/query_compiler_*',
  'node_modules/prisma/build/query_compiler_*',
];

async function deleteUnused() {
  const { globSync, rmSync } = await import('node:fs');
  const files = globSync(UNUSED, { cwd: ROOT }).filter((file) => !file.includes('postgresql'));
  for (const file of files) rmSync(`${ROOT}${file}`, { recursive: true, force: true });
}

/** @param {string} script */
function run(script) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [`${ROOT}scripts/${script}`], { cwd: ROOT, stdio: 'inherit' });
    child.once('error', (error) => resolve(`${script}: ${error.message}`));
    child.once('exit', (code) => resolve(code === 0 ? undefined : `${script} failed`));
  });
}

/** npm links the commands of packages, but not that of the checkout itself: `npx quotient` would install it elsewhere. */
async function linkCommand() {
  const { mkdirSync, rmSync, symlinkSync } = await import('node:fs');
  mkdirSync(`${ROOT}node_modules/.bin`, { recursive: true });
  rmSync(`${ROOT}node_modules/.bin/quotient`, { force: true });
  symlinkSync('../../build/cli/quotient.js', `${ROOT}node_modules/.bin/quotient`);
}

async function prepare() {
  const failure = (await run('generate.ts')) ?? (await run('build.ts'));
  // Windows starts no links.
  if (!failure && process.platform !== 'win32') await linkCommand();
  if (!failure) return deleteUnused();
  process.stderr.write(`${failure}\n`);
  process.exitCode = 1;
}

if (exists('node_modules/rolldown') && exists('node_modules/json-schema-to-typescript')) {
  void prepare();
} else if (['build/cli/quotient.js', 'dist/console', 'dist/operator', 'dist/client.tgz'].every(exists)) {
  console.log('Build skipped: the development dependencies are not installed. build/ and dist/ are unchanged.');
} else {
  console.log(
    'Build skipped: the development dependencies are not installed. Copy build/ and dist/ from a ' +
      'checkout that has them, or run npm ci and then npm prune --omit=dev.',
  );
}
