/** The pages after the sign-in, in the order of the navigation. */
export const PAGES = ['prices', 'keys', 'usage', 'notices', 'account'] as const;
export type PageName = (typeof PAGES)[number];

/** The page of a fragment. Undefined for a fragment that names no page, such as that of a link within a page. */
export function pageIn(fragment: string): PageName | undefined {
  if (fragment === '' || fragment === '#') return 'prices';
  const name = /^#\/([^/?]*)/.exec(fragment)?.[1];
  return name === undefined ? undefined : (PAGES.find((page) => page === name) ?? 'prices');
}

export const fragmentOf = (page: PageName) => (page === 'prices' ? '#/' : `#/${page}`);
