/** Where a candidate stands among the equals up to rule 3 because of its node; smaller goes first. */
export interface NodePlaces {
  readonly place: Int32Array;
}
