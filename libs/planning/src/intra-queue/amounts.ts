/** Amounts by place in the planned types; what is left of an amount may be below 0. Never written to. */
export type Amounts = readonly number[];

// Clusters plan few types, and these run for every application and candidate: literals of known length cost a fraction of what
// `map` does.

export function plus(a: Amounts, b: Amounts): Amounts {
  if (a.length === 1) return [a[0]! + b[0]!];
  if (a.length === 2) return [a[0]! + b[0]!, a[1]! + b[1]!];
  if (a.length === 3) return [a[0]! + b[0]!, a[1]! + b[1]!, a[2]! + b[2]!];
  if (a.length === 4) return [a[0]! + b[0]!, a[1]! + b[1]!, a[2]! + b[2]!, a[3]! + b[3]!];
  return a.map((amount, place) => amount + b[place]!);
}

export function minus(a: Amounts, b: Amounts): Amounts {
  if (a.length === 1) return [a[0]! - b[0]!];
  if (a.length === 2) return [a[0]! - b[0]!, a[1]! - b[1]!];
  if (a.length === 3) return [a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!];
  if (a.length === 4) return [a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!, a[3]! - b[3]!];
  return a.map((amount, place) => amount - b[place]!);
}

/** Nothing is owed: types below 0 are set to 0. */
export function positive(a: Amounts): Amounts {
  for (let place = 0; place < a.length; place++) {
    if (!(a[place]! >= 0)) return a.map((amount) => Math.max(0, amount));
  }
  return a;
}

export function isZero(a: Amounts): boolean {
  for (let place = 0; place < a.length; place++) if (a[place] !== 0) return false;
  return true;
}

export function equals(a: Amounts, b: Amounts): boolean {
  for (let place = 0; place < a.length; place++) if (a[place] !== b[place]) return false;
  return true;
}

/** Every type at most what there is of it. */
export function fits(a: Amounts, room: Amounts): boolean {
  for (let place = 0; place < a.length; place++) if (a[place]! > room[place]!) return false;
  return true;
}

/** Some type has nothing left. */
export function isSomeTypeOut(a: Amounts): boolean {
  for (let place = 0; place < a.length; place++) if (a[place]! <= 0) return true;
  return false;
}
