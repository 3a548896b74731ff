const SPLIT = 2 ** 27 + 1;

/**
 * Compares a × b with c × d exactly: below 0, 0 or above 0. Factors are whole numbers up to 2^53, products need not be. A
 * rounded product keeps the order of the exact ones; where two round to the same, what was rounded off decides.
 */
export function compareProducts(a: number, b: number, c: number, d: number): number {
  const left = a * b;
  const right = c * d;
  if (left !== right) return left < right ? -1 : 1;
  return roundedOff(a, b, left) - roundedOff(c, d, right);
}

/** a × b / c in whole numbers, exactly. All arguments and the quotient are whole numbers up to 2^53; the product may be greater. */
export function divideProduct(a: number, b: number, c: number): { quotient: number; remainder: number } {
  const product = a * b;
  let quotient = Math.floor(product / c);
  let remainder = remainderOf(a, b, product, quotient, c);
  // Rounding may have put the quotient off by one or two.
  while (remainder < 0) remainder = remainderOf(a, b, product, --quotient, c);
  while (remainder >= c) remainder = remainderOf(a, b, product, ++quotient, c);
  return { quotient, remainder };
}

/** a × b - quotient × c. The rounded products are so near each other that their difference is exact. */
function remainderOf(a: number, b: number, product: number, quotient: number, c: number): number {
  const near = quotient * c;
  return product - near + (roundedOff(a, b, product) - roundedOff(quotient, c, near));
}

/** a × b - product, exactly (Dekker: halves of 26 bits multiply without rounding). */
function roundedOff(a: number, b: number, product: number): number {
  const aHigh = high(a);
  const aLow = a - aHigh;
  const bHigh = high(b);
  const bLow = b - bHigh;
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
}

function high(value: number): number {
  const shifted = SPLIT * value;
  return shifted - (shifted - value);
}
