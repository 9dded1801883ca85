/** A text in the storage of this tab or device. Where the browser blocks storage, nothing is kept. */
export function openStored(kind: 'sessionStorage' | 'localStorage', name: string) {
  const attempt = <T>(use: (storage: Storage) => T): T | undefined => {
    try {
      return use(globalThis[kind]);
    } catch {
      return undefined;
    }
  };
  return {
    read: (): string | undefined => attempt((storage) => storage.getItem(name)) ?? undefined,
    write: (text: string): void => attempt((storage) => storage.setItem(name, text)),
    remove: (): void => attempt((storage) => storage.removeItem(name)),
  };
}

/** What the service writes into the page: who may register, and whether it sends mail. */
export type ServiceFacts = { registration: 'open' | 'verified' | 'closed'; sendsMail: boolean };

const MODES: Readonly<Record<string, ServiceFacts['registration']>> = {
  open: 'open',
  verified: 'verified',
  closed: 'closed',
};

/** Read from the attributes of the page's root element; as a service with `REGISTRATION=open` where there are none. */
export function factsOf({ dataset }: { dataset: Readonly<Record<string, string | undefined>> }): ServiceFacts {
  return { registration: MODES[dataset.registration ?? ''] ?? 'open', sendsMail: 'mail' in dataset };
}

/** The colors of the page, which a script of its own (`theme.js`) sets before the first paint and whenever another is chosen. */
export function openTheme() {
  const listeners: (() => void)[] = [];
  const notify = () => {
    for (const listener of listeners) listener();
  };
  new MutationObserver(notify).observe(document.documentElement, { attributeFilter: ['data-theme'] });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', notify);

  return {
    onChange: (listener: () => void) => void listeners.push(listener),
    color: (name: `--${string}`) => getComputedStyle(document.documentElement).getPropertyValue(name).trim(),
  };
}

export type Theme = ReturnType<typeof openTheme>;
