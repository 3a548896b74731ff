/** Amounts by place in the planned types; what is left of an amount may be below 0. Never written to. */
export type Amounts = readonly number[];

export const plus = (a: Amounts, b: Amounts): Amounts => a.map((amount, place) => amount + b[place]!);
export const minus = (a: Amounts, b: Amounts): Amounts => a.map((amount, place) => amount - b[place]!);

/** Nothing is owed: types below 0 are set to 0. */
export const positive = (a: Amounts): Amounts => a.map((amount) => Math.max(0, amount));

export const isZero = (a: Amounts): boolean => a.every((amount) => amount === 0);

/** Every type at most what there is of it. */
export const fits = (a: Amounts, room: Amounts): boolean =>
  a.every((amount, place) => amount <= room[place]!);

/** Some type has nothing left. */
export const isSomeTypeOut = (a: Amounts): boolean => a.some((amount) => amount <= 0);
