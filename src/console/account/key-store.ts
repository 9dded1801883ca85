/**
 * Remembers the key on this device, if the user wants that. The path is part of the name, since two services can run
 * on one host.
 */
export function openKeyStore(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>, path: string) {
  const name = `quotient:key:${path}`;
  return {
    recall: (): string | undefined => storage.getItem(name) ?? undefined,
    isRemembered: () => storage.getItem(name) !== null,
    remember: (key: string): void => storage.setItem(name, key),
    forget: (): void => storage.removeItem(name),
  };
}

export type KeyStore = ReturnType<typeof openKeyStore>;
