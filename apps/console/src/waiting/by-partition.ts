/** Rows of several partitions by their partition, in the order of the rows; a partition without any is missing. */
export function byPartition<T extends { partition: string }, R = T>(
  rows: readonly T[],
  of: (row: T) => R,
): Map<string, R[]> {
  const found = new Map<string, R[]>();
  for (const row of rows) {
    const known = found.get(row.partition);
    if (known) known.push(of(row));
    else found.set(row.partition, [of(row)]);
  }
  return found;
}
