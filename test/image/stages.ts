import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Copy, Stage } from './dockerfile.ts';

/** The environment variables that the commands of an image receive: paths of programs, npm's cache and settings. */
const PASSED_ON = /^(HOME|TMPDIR|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/i;

const OUTPUT = { maxBuffer: 64 * 2 ** 20 };

/** Maps an absolute path of the image below `root`. Other words are unchanged. */
const below = (root: string, path: string) => (path.startsWith('/') ? join(root, path) : path);

/** Creates the folder of a base image. The steps require only Node from it. */
async function importImage(image: string, root: string): Promise<void> {
  await mkdir(join(root, 'usr/local/bin'), { recursive: true });
  if (image.startsWith('debian:')) return;
  const major = /^node:(\d+)-/.exec(image)?.[1];
  if (major === undefined) throw new Error(`Dockerfile: the image ${image} is not supported`);
  if (!process.version.startsWith(`v${major}.`))
    throw new Error(`The image has Node ${major}, this process has ${process.version}`);
  await cp(process.execPath, join(root, 'usr/local/bin/node'));
}

const isFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** The content of a folder is copied. A file is copied to the target, or into it if the target ends with a slash. */
async function copy({ sources, target }: Copy, origin: string, cwd: string, root: string): Promise<void> {
  const to = resolve(cwd, below(root, target));
  for (const source of sources) {
    const from = join(origin, source);
    if (await isFolder(from)) await cp(from, to, { recursive: true, verbatimSymlinks: true });
    else if (target.endsWith('/')) await cp(from, join(to, basename(source)));
    else if (sources.length > 1 || (await isFolder(to))) throw new Error(`COPY ${source} ${target}: not supported`);
    else {
      await mkdir(dirname(to), { recursive: true });
      await cp(from, to);
    }
  }
}

/** Runs a command of a stage. Absolute paths are mapped below `root`, and `chown` has no effect. */
async function run(command: string, cwd: string, root: string, work: string): Promise<void> {
  const mapped = command.replaceAll(/(^|\s)(\/[\w./-]+)/g, (_, space, path) => space + join(root, path));
  const passed = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name));
  const path = [join(root, 'usr/local/bin'), join(work, 'bin'), process.env.PATH].join(':');
  const env = { ...Object.fromEntries(passed), PATH: path, npm_config_prefer_offline: 'true' };
  await promisify(execFile)('sh', ['-c', mapped], { ...OUTPUT, cwd, env }).catch(({ stdout, stderr }) => {
    throw new Error(`RUN ${command} failed:\n${stdout}\n${stderr}`);
  });
}

/**
 * Builds the last stage and the stages that it requires, each as a folder in `work`. Returns the folder of the last
 * stage. `context` is the folder of the build context. Rejects if a file to copy is missing or a command fails.
 */
export async function buildStages(
  stages: readonly [Stage, ...Stage[]],
  { context, work }: { context: string; work: string },
): Promise<string> {
  const started = new Map<string, Promise<string>>();

  function build(name: string): Promise<string> {
    const running = started.get(name) ?? buildOne(name);
    started.set(name, running);
    return running;
  }

  async function buildOne(name: string): Promise<string> {
    const root = join(work, 'stages', name.replaceAll(/\W/g, '-'));
    const stage = stages.find((one) => one.name === name);
    if (!stage) {
      await importImage(name, root);
      return root;
    }
    const { base, steps } = stage;
    const needed = steps.flatMap((step) => (step.kind === 'copy' && step.from ? [step.from] : []));
    // Waits for all builds, so that no build is still writing when the caller removes the folder.
    const results = await Promise.allSettled([base, ...needed].map(build));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    await cp(await build(base), root, { recursive: true, verbatimSymlinks: true });
    let cwd = root;
    for (const step of steps) {
      if (step.kind === 'workdir') {
        cwd = resolve(cwd, below(root, step.path));
        await mkdir(cwd, { recursive: true });
      } else if (step.kind === 'copy') {
        await copy(step, step.from ? await build(step.from) : context, cwd, root);
      } else {
        await run(step.command, cwd, root, work);
      }
    }
    return root;
  }

  await mkdir(join(work, 'bin'), { recursive: true });
  await writeFile(join(work, 'bin/chown'), '#!/bin/sh\n');
  await chmod(join(work, 'bin/chown'), 0o755);
  return build((stages.at(-1) as Stage).name);
}
