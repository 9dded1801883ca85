/** Prints the first lines of a kind, and of the rest how many there are. */
export function printFirst(limit: number, kind: string) {
  let count = 0;
  const print = (text: string) => process.stderr.write(`${text}\n`);
  return {
    line(text: string): void {
      count += 1;
      if (count <= limit) print(text);
    },
    rest(): void {
      if (count > limit) print(`… and ${count - limit} more ${kind}`);
    },
  };
}
