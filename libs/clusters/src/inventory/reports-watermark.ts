/** Checks with the bus that carries the reports whether all of them are applied. */
export interface ReportsWatermark {
  /**
   * Compares the reports that are on the bus now with the applied ones, and waits for the rest.
   *
   * @param waitMs the longest wait.
   * @throws Error with the reason if the bus does not answer.
   */
  unread(waitMs: number): Promise<UnreadReports>;
  /** The name of a partition of the bus for operators, such as `curtail.inventory/3`. */
  placeOf(partition: number): string;
}

export interface UnreadReports {
  behind: { partition: number; messages: number }[];
  /** Partitions of the bus with a loss of reports that is not recorded yet. */
  missing: number[];
  /** When a loss of reports was last found, by the clock of the database; null = never. */
  gapAt: Date | null;
}
