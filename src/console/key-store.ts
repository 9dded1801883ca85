/**
 * Where a key is kept beyond this tab, if that was asked for: on this device, for this page. Two services on one
 * host have different paths, so each has its own.
 */
export function openKeyStore(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>, path: string) {
  const place = `quotient:key:${path}`;
  return {
    recall: (): string | undefined => storage.getItem(place) ?? undefined,
    isRemembered: () => storage.getItem(place) !== null,
    remember: (key: string): void => storage.setItem(place, key),
    forget: (): void => storage.removeItem(place),
  };
}

export type KeyStore = ReturnType<typeof openKeyStore>;
