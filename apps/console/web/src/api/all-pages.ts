/** Reads a list to its end. @param most items; the rest is left out. */
export async function allPages<T>(
  read: (after: string | undefined) => Promise<{ items: T[]; next?: string | undefined }>,
  most: number,
): Promise<T[]> {
  const all: T[] = [];
  for (let after: string | undefined; all.length < most; ) {
    const { items, next } = await read(after);
    all.push(...items);
    if (next === undefined) break;
    after = next;
  }
  return all;
}
