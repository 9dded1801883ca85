import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that start processes, run builds or create databases on disk. They are short but take up to half a minute. */
const LONG = /\/test\/(?:process|chaos|cli|node\/wallets)\/|\/(?:processes|database|copy)\/|processes\.|\.browser\./;

/**
 * Runs slow files first in each project, so that no worker ends with one. Without recorded times, as on a new checkout,
 * the default order depends on the file size.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    return projects.flatMap((name) => {
      const own = sorted.filter(({ project }) => project.name === name);
      const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
      return [...own.filter(isLong), ...own.filter((one) => !isLong(one))];
    });
  }
}
