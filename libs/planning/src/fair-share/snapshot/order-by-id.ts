/** Numbers things by their ids, which are distinct, in UTF-16 order. */
export function orderById(given: readonly string[]): {
  ids: string[];
  /** By id. */
  number: Map<string, number>;
  /** By place in the input. */
  numberOf: Int32Array;
  /** The place in the input by number. */
  places: Int32Array;
} {
  const places = Int32Array.from(given.keys()).sort((a, b) => (given[a]! < given[b]! ? -1 : 1));
  const numberOf = new Int32Array(given.length);
  places.forEach((place, number) => {
    numberOf[place] = number;
  });
  const ids = Array.from(places, (place) => given[place]!);
  return { ids, number: new Map(ids.map((id, i) => [id, i])), numberOf, places };
}
