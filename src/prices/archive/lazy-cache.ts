import type { Resident, WorkingSet } from './working-set.ts';

type Options<Value> = {
  workingSet: WorkingSet;
  bytesOf: (value: Value) => number;
  /** Told what is no longer in memory. */
  dropped: (name: string) => void;
};

/** What of the store is in memory of one kind, by name: a name is wanted first, and kept by the poll that loads it. */
export function createResidents<Value>({ workingSet, bytesOf, dropped }: Options<Value>) {
  const kept = new Map<string, Resident & { value: Value }>();
  const wanted = new Set<string>();

  function of(name: string): Value {
    const known = kept.get(name);
    if (!known) throw new Error(`${name} is not loaded`);
    workingSet.use(known);
    return known.value;
  }

  return {
    /** What is in memory, which counts as used now. Throws for what is not. */
    of,

    /** The same, but undefined for what is not, and without using it. */
    peek: (name: string): Value | undefined => kept.get(name)?.value,

    kept: (): string[] => [...kept.keys()],
    wanted: (): string[] => [...wanted],

    /** Wants what is not in memory, and loads it by a poll; undefined for what is, and stays there as long as it is used. */
    load(name: string, sync: () => Promise<void>): Promise<void> | undefined {
      if (kept.has(name)) return void of(name);
      wanted.add(name);
      return sync();
    },

    /** Keeps what was loaded, in the place of what was there of that name. */
    keep(name: string, value: Value): void {
      wanted.delete(name);
      const known = kept.get(name);
      if (known) {
        known.value = value;
        return;
      }
      const resident = {
        value,
        bytes: () => bytesOf(resident.value),
        drop(): void {
          kept.delete(name);
          dropped(name);
        },
      };
      kept.set(name, resident);
      workingSet.use(resident);
    },
  };
}
