/**
 * Plausible mistakes in one line of a file. Each `find` occurs exactly once in the file. If it is replaced with
 * `replace`, at least one of the tests must fail. The paths of tests are relative to `test/`. Each list names the most
 * specific tests that detect its mistakes.
 */
export type Mutations = {
  file: string;
  tests: readonly string[];
  changes: readonly (readonly [find: string, replace: string])[];
};

/** One of these mistakes. `mutated` is the whole file with the mistake. */
export type Mutation = {
  name: string;
  file: string;
  mutated: string;
  tests: readonly string[];
};

/**
 * Returns the mutations of a list, and the faults of those that cannot be applied.
 * @param read returns the text of a file by its path in the checkout; undefined if the file does not exist
 */
export function readMutations(
  list: readonly Mutations[],
  read: (file: string) => string | undefined,
): { mutations: Mutation[]; faults: string[] } {
  const mutations: Mutation[] = [];
  const faults: string[] = [];
  for (const { file, tests, changes } of list) {
    const missing = tests.map((test) => `test/${test}`).filter((test) => read(test) === undefined);
    faults.push(...missing.map((test) => `${test}  does not exist, but must catch mutations of ${file}`));
    const source = read(file);
    if (source === undefined) {
      faults.push(`${file}  does not exist`);
      continue;
    }
    for (const [find, replace] of changes) {
      const pieces = source.split(find);
      const line = (pieces[0] ?? '').split('\n').length;
      const name = `${file}:${line}  ${find.trim()}  →  ${replace.trim() || '(nothing)'}`;
      if (pieces.length === 2) mutations.push({ name, file, mutated: pieces.join(replace), tests });
      else faults.push(`${file}  ${find}  occurs ${pieces.length - 1} times`);
    }
  }
  return { mutations, faults };
}
