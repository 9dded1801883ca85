/** Returns the names of a record's members with their type. */
export const memberNames = <Name extends string>(record: { readonly [Member in Name]?: unknown }): Name[] =>
  Object.keys(record) as Name[];

/** Builds a record with a value for each name. */
export const mapNames = <Name extends string, Value>(names: readonly Name[], value: (name: Name) => Value) =>
  Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, Value>;

export const isOneOf = <Name extends string>(names: readonly Name[], text: string): text is Name =>
  names.some((name) => name === text);
