import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Runs at the end of `npm ci`: generates and builds what the repository does not contain. Plain JavaScript: without the
// development dependencies, any installed Node runs it.

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const here = (/** @type {string} */ path) => existsSync(`${ROOT}${path}`);

/** @param {string} script */
function run(script) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [`${ROOT}scripts/${script}`], { cwd: ROOT, stdio: 'inherit' });
    child.once('error', (error) => resolve(`${script}: ${error.message}`));
    child.once('exit', (code) => resolve(code === 0 ? undefined : `${script} failed`));
  });
}

async function prepare() {
  const failure = (await run('generate.ts')) ?? (await run('build.ts'));
  if (!failure) return;
  process.stderr.write(`${failure}\n`);
  process.exitCode = 1;
}

if (here('node_modules/rolldown') && here('node_modules/json-schema-to-typescript')) {
  void prepare();
} else if (here('build/main.js') && here('dist/console')) {
  console.log('Without the development dependencies nothing is built: build/ and dist/ stay as they are.');
} else {
  console.log(
    'Without the development dependencies nothing is built: bring build/ and dist/console from a checkout with them, ' +
      'or run npm ci and then npm prune --omit=dev.',
  );
}
