/** Stores text for this tab or device. Stores nothing if the browser blocks storage. */
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
