/** A partition that can be archived. */
export interface Archivable {
  partition: string;
  from: string | null;
  to: string;
  /** As the database estimates it. */
  events: number;
  /** Of these, how many stay in the database too, since they are still worked with. */
  stay: number;
}

export interface Archived {
  partitions: {
    folder: string;
    /** Of the file: the version of its format. */
    format: 1;
    partition: string;
    /** The months that it holds, RFC 3339; `from` is null for the first partition. */
    from: string | null;
    to: string;
    file: string;
    /** Of the file as it stands on the disk, hex. */
    sha256: string;
    bytes: number;
    events: number;
    plans: number;
    /** Plans whose input was no longer kept. */
    plansWithoutInput: number;
    /** Of the first and the last event; null without any. */
    first: { transactionId: string; position: string } | null;
    last: { transactionId: string; position: string } | null;
    writtenAt: string;
    /** Events that stay in the database too. */
    stayed: number;
  }[];
  events: number;
}
