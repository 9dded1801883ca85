/** What the metrics at an address stand at now: the sum of a name's series, or of those with some labels. */
export async function reading(metrics: string) {
  const lines = (await (await fetch(metrics)).text()).split('\n');
  /** Throws where there is none. */
  return (name: string, ...labels: readonly string[]): number => {
    const found = lines.filter((line) => {
      const [before = ''] = line.split(/[ {]/, 1);
      return before === name && labels.every((label) => line.includes(label));
    });
    if (found.length === 0) throw new Error(`${metrics} does not tell of ${[name, ...labels].join(' ')}`);
    return found.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  };
}
