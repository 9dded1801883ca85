import type { Linked } from '../../pages/components/shell.tsx';
import { fragmentOf, PAGES, type PageName } from '../core/router.ts';

type About = {
  title: string;
  /** What the page shows, for a user who is not signed in. */
  contents: string;
  /** The path of the icon, in a square of 16. */
  icon: string;
};

export const ABOUT: Readonly<Record<PageName, About>> = {
  prices: {
    title: 'Prices',
    contents: 'the latest prices, and the chart that the link selects',
    icon: 'M2 2v12h12M4.5 10.5l3-4 2.5 2.5 4-5.5',
  },
  keys: {
    title: 'Keys',
    contents: 'the API keys of your account, and code for each key',
    icon: 'M2 10.5a3.5 3.5 0 1 0 7 0 3.5 3.5 0 1 0-7 0M8 8l6-6M11.5 4.5l2 2',
  },
  usage: {
    title: 'Usage',
    contents: 'your calls by day, key and path, and your latest requests',
    icon: 'M2.5 14V9M6.5 14V3M10.5 14V7M14 14H2',
  },
  notices: {
    title: 'Notices',
    contents: 'when the service notifies you, your webhook, and its deliveries',
    icon: 'M3.5 11.5c1-1 1-2 1-4.5a3.5 3.5 0 0 1 7 0c0 2.5 0 3.5 1 4.5zM6.5 14h3',
  },
  account: {
    title: 'Account',
    contents: 'your plan, your remaining calls, and the settings of your account',
    icon: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14c.5-3 2.7-4 5.5-4s5 1 5.5 4',
  },
};

export const LINKED: readonly Linked[] = PAGES.map((name) => ({ name, href: fragmentOf(name), ...ABOUT[name] }));
