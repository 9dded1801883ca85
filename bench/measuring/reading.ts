/** Reads the metrics at a URL. Returns a function that sums the series with a name and with all given labels. */
export async function reading(metrics: string) {
  const lines = (await (await fetch(metrics)).text()).split('\n');
  /** Throws if no series matches. */
  return (name: string, ...labels: readonly string[]): number => {
    const found = lines.filter((line) => {
      const [before = ''] = line.split(/[ {]/, 1);
      return before === name && labels.every((label) => line.includes(label));
    });
    if (found.length === 0) throw new Error(`${metrics} does not contain ${[name, ...labels].join(' ')}`);
    return found.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  };
}
