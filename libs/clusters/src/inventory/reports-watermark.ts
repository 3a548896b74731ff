/** Whether everything that was reported has been applied: asked of the bus that brings the reports. */
export interface ReportsWatermark {
  /**
   * Compares what stands on the bus now with what is applied, and waits for the rest.
   *
   * @param waitMs at the most.
   * @throws Error that says why it is not known.
   */
  unread(waitMs: number): Promise<UnreadReports>;
  /** A partition of the bus as operators know it, `curtail.inventory/3`. */
  placeOf(partition: number): string;
}

export interface UnreadReports {
  behind: { partition: number; messages: number }[];
  /** Partitions of the bus where reports were lost, and nobody has noted it yet. */
  missing: number[];
  /** When reports were last found lost, by the clock of the database; null = never. */
  gapAt: Date | null;
}
