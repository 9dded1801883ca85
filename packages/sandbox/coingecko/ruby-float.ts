// `rawJSON` is in Node 24 and not yet in the compiler's es2024 library.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** A number that JSON.stringify writes as Ruby does: `21000000.0`, `3.5e-05`, `1.0e+16`. */
export function rubyFloat(value: number): unknown {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [mantissa = '0', exponent = '+0'] = value.toExponential().split('e');
    const digits = exponent.slice(1).padStart(2, '0');
    return rawJSON(`${mantissa.includes('.') ? mantissa : `${mantissa}.0`}e${exponent[0]}${digits}`);
  }
  // Ruby keeps the sign of a negative value that is rounded to zero; String() drops it.
  if (Object.is(value, -0)) return rawJSON('-0.0');
  return rawJSON(Number.isInteger(value) ? `${value}.0` : String(value));
}
