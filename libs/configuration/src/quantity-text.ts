const units: readonly (readonly [suffix: string, size: bigint])[] = [
  ['P', 10n ** 15n],
  ['T', 10n ** 12n],
  ['G', 10n ** 9n],
  ['M', 10n ** 6n],
  ['k', 10n ** 3n],
  ['Pi', 2n ** 50n],
  ['Ti', 2n ** 40n],
  ['Gi', 2n ** 30n],
  ['Mi', 2n ** 20n],
  ['Ki', 2n ** 10n],
];

/** An amount in base units as a configuration writes it, without rounding: `50G` or `8Gi` of memory, `1500m` or `4` of vcore, `2` of others. */
export function quantityText(type: string, amount: bigint): string {
  if (type === 'vcore') return amount % 1000n === 0n ? String(amount / 1000n) : `${amount}m`;
  if (type !== 'memory' || amount === 0n) return String(amount);
  return units
    .filter(([, size]) => amount % size === 0n)
    .map(([suffix, size]) => `${amount / size}${suffix}`)
    .reduce((shortest, text) => (text.length < shortest.length ? text : shortest), String(amount));
}
