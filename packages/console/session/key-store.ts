import { openStored } from '../core/storage.ts';

const MOST_ENDS = 20;

/** Keeps the key in this tab, and on this device on request. Two services can share a host, at different paths. */
export function openKeyStore(path: string) {
  const ofTab = openStored('sessionStorage', `quotient:key:${path}`);
  const ofDevice = openStored('localStorage', `quotient:key:${path}`);
  const since = openStored('sessionStorage', `quotient:since:${path}`);
  /** There while the key of this tab is a new one that the user has not saved yet. */
  const unsaved = openStored('sessionStorage', `quotient:unsaved:${path}`);
  /** Who signed out on this device, and when, for tabs that could not be told: `<user> <Unix ms>` in each line. */
  const ended = openStored('localStorage', `quotient:ended:${path}`);
  const ends = () => (ended.read() ?? '').split('\n').map((line) => line.split(' ').map(Number));

  /** The key of this tab as it was kept, if it could be. */
  let kept: string | undefined;

  return {
    tabKey: ofTab.read,
    deviceKey: ofDevice.read,
    isUnsaved: () => unsaved.read() !== undefined,

    /** Keeps the key of this tab. One that it has already keeps its age. */
    keep(key: string): void {
      if (ofTab.read() !== key) {
        ofTab.write(key);
        since.write(String(Date.now()));
      }
      kept = ofTab.read();
    },
    /** Whether another page of this tab has changed what was kept. */
    hasChanged: () => ofTab.read() !== kept,
    keepOnDevice: ofDevice.write,
    forgetOnDevice: ofDevice.remove,
    setUnsaved(isUnsaved: boolean): void {
      if (isUnsaved) unsaved.write('true');
      else unsaved.remove();
    },

    forget(key: string): void {
      if (ofDevice.read() === key) ofDevice.remove();
      if (ofTab.read() !== key) return;
      kept = undefined;
      for (const stored of [ofTab, since, unsaved]) stored.remove();
    },

    /** Notes for tabs that are asleep that a user has signed out. */
    noteEnd(user: number): void {
      const others = ends().filter(([who, at]) => who !== user && at);
      const lines = [...others, [user, Date.now()]].slice(-MOST_ENDS);
      ended.write(lines.map((line) => line.join(' ')).join('\n'));
    },
    /** Whether a user signed out in another tab after this one signed in. */
    hasEnded(user: number): boolean {
      const [, at = 0] = ends().find(([who]) => who === user) ?? [];
      return at > Number(since.read() ?? Number.POSITIVE_INFINITY);
    },
  };
}
