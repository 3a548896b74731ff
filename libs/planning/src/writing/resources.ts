import type { Resources } from '#contracts';

/** Amounts as an object, zeros left out. `names` are in UTF-16 order, and so are its keys. */
export function resourcesOf(names: readonly string[], amountOf: (place: number) => number): Resources {
  const resources: { [type: string]: number } = {};
  for (let place = 0; place < names.length; place++) {
    const amount = amountOf(place);
    if (amount > 0) setAmount(resources, names[place]!, amount);
  }
  return resources;
}

/** A type may have any name, also `__proto__`, which an assignment would not store. */
export function setAmount(resources: { [type: string]: number }, name: string, amount: number): void {
  if (name !== '__proto__') resources[name] = amount;
  else
    Object.defineProperty(resources, name, {
      value: amount,
      enumerable: true,
      writable: true,
      configurable: true,
    });
}
