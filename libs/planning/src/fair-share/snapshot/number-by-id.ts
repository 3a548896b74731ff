/**
 * Numbers things by their ids in UTF-16 order.
 *
 * @param twice called, to throw, with the place of an id that was there before.
 */
export function numberById(
  given: readonly string[],
  twice: (place: number, id: string) => never,
): { ids: string[]; number: Map<string, number>; places: number[] } {
  const seen = new Set<string>();
  given.forEach((id, i) => {
    if (seen.has(id)) twice(i, id);
    seen.add(id);
  });
  const places = given.map((_, i) => i).sort((a, b) => (given[a]! < given[b]! ? -1 : 1));
  const ids = places.map((place) => given[place]!);
  return { ids, number: new Map(ids.map((id, i) => [id, i])), places };
}
