/** A line at the terminal that is written over again and again; elsewhere nothing is written but the lines that stay. */
export function progressLine(stream: NodeJS.WriteStream = process.stdout) {
  let isOpen = false;
  const clear = () => {
    if (isOpen) stream.write('\r\u001b[K');
    isOpen = false;
  };
  return {
    show(text: string): void {
      if (!stream.isTTY) return;
      stream.write(`\r\u001b[K${text.slice(0, (stream.columns ?? 80) - 1)}`);
      isOpen = true;
    },
    /** A line that stays. */
    line(text: string): void {
      clear();
      stream.write(`${text}\n`);
    },
    clear,
  };
}
