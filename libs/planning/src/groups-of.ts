/** The members of groups as one list, by group, with the first place of each group in it. */
export interface Grouped {
  /** The members of group g are `members[i]` for i from `first[g]` below `first[g + 1]`. */
  readonly first: Int32Array;
  readonly members: Int32Array;
}

/** Groups `order` by `groupOf`, keeping its order inside each group. Members with a negative group are left out. */
export function groupsOf(order: Int32Array, groupOf: Int32Array, groups: number): Grouped {
  const first = new Int32Array(groups + 1);
  for (let i = 0; i < order.length; i++) {
    const group = groupOf[order[i]!]!;
    if (group >= 0) first[group + 1]!++;
  }
  for (let group = 0; group < groups; group++) first[group + 1]! += first[group]!;
  const members = new Int32Array(first[groups]!);
  const next = first.slice();
  for (let i = 0; i < order.length; i++) {
    const group = groupOf[order[i]!]!;
    if (group >= 0) members[next[group]!++] = order[i]!;
  }
  return { first, members };
}

/** All numbers from `from` below `end`. */
export function numbersTo(end: number, from = 0): Int32Array {
  const numbers = new Int32Array(end - from);
  for (let i = 0; i < numbers.length; i++) numbers[i] = from + i;
  return numbers;
}
