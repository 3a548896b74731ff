const MOST_BITS = 11;
const WORD = 2 ** 32;
/** Shorter lists are sorted by insertion. */
const FEW = 16;

/**
 * Sorts lists by whole numbers that their members have: digit by digit, the lowest first (radix sort). Members with equal numbers
 * keep their order, so a sort by several rules is one for each rule, the last rule first. How long it takes depends on the number of
 * members and digits, not on the order in which they stood.
 */
export class StableSort {
  private keys = new Uint32Array(0);
  private otherKeys = new Uint32Array(0);
  private otherList = new Int32Array(0);
  private readonly next = new Int32Array(2 ** MOST_BITS);

  /**
   * Sorts `list[from..to)` in place.
   *
   * @param keyOf by member, whole numbers from 0 on.
   * @param limit above all of them; at most 2^53.
   */
  sort(list: Int32Array, keyOf: Float64Array, limit: number, from = 0, to = list.length): void {
    if (to - from <= FEW) {
      insertInOrder(list, keyOf, from, to);
      return;
    }
    if (this.keys.length < to - from) this.makeRoom(Math.max(to - from, 2 * this.keys.length));
    for (let i = from; i < to; i++) this.keys[i - from] = keyOf[list[i]!]! >>> 0;
    this.sortByWord(list, from, to, Math.min(limit, WORD));
    if (limit <= WORD) return;
    for (let i = from; i < to; i++) this.keys[i - from] = Math.floor(keyOf[list[i]!]! / WORD);
    this.sortByWord(list, from, to, Math.ceil(limit / WORD));
  }

  private makeRoom(members: number): void {
    this.keys = new Uint32Array(members);
    this.otherKeys = new Uint32Array(members);
    this.otherList = new Int32Array(members);
  }

  private sortByWord(list: Int32Array, from: number, to: number, limit: number): void {
    const count = to - from;
    // About as many buckets as members: a short list would spend its time on empty ones.
    const bits = Math.min(MOST_BITS, Math.max(3, 32 - Math.clz32(count)));
    const mask = 2 ** bits - 1;
    let inList = true;
    for (let shift = 0; 2 ** shift < limit; shift += bits) {
      if (!placeBuckets(this.next, this.keys, count, shift, mask)) continue;
      if (inList)
        deal(this.next, this.keys, this.otherKeys, list, from, this.otherList, 0, count, shift, mask);
      else deal(this.next, this.keys, this.otherKeys, this.otherList, 0, list, from, count, shift, mask);
      inList = !inList;
      [this.keys, this.otherKeys] = [this.otherKeys, this.keys];
    }
    if (!inList) list.set(this.otherList.subarray(0, count), from);
  }
}

function insertInOrder(list: Int32Array, keyOf: Float64Array, from: number, to: number): void {
  for (let i = from + 1; i < to; i++) {
    const moving = list[i]!;
    const key = keyOf[moving]!;
    let place = i;
    for (; place > from && keyOf[list[place - 1]!]! > key; place--) list[place] = list[place - 1]!;
    list[place] = moving;
  }
}

/** Sets `next` to where the first member of each bucket goes; false where all are in one. */
function placeBuckets(
  next: Int32Array,
  keys: Uint32Array,
  count: number,
  shift: number,
  mask: number,
): boolean {
  next.fill(0, 0, mask + 1);
  for (let i = 0; i < count; i++) next[(keys[i]! >>> shift) & mask]!++;
  if (next[(keys[0]! >>> shift) & mask] === count) return false;
  let sum = 0;
  for (let bucket = 0; bucket <= mask; bucket++) {
    const size = next[bucket]!;
    next[bucket] = sum;
    sum += size;
  }
  return true;
}

/** Deals members and their keys out into their buckets. Columns as arguments: the engine keeps them in registers. */
function deal(
  next: Int32Array,
  keys: Uint32Array,
  toKeys: Uint32Array,
  list: Int32Array,
  listFrom: number,
  toList: Int32Array,
  toFrom: number,
  count: number,
  shift: number,
  mask: number,
): void {
  for (let i = 0; i < count; i++) {
    const key = keys[i]!;
    const bucket = (key >>> shift) & mask;
    const place = next[bucket]!;
    next[bucket] = place + 1;
    toKeys[place] = key;
    toList[toFrom + place] = list[listFrom + i]!;
  }
}
