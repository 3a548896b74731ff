/** Whether a dead letter can be tried again, and what to do about it. */
export interface NextStep {
  retryable: boolean;
  /** A sentence without a full stop. */
  nextStep: string;
}

export interface DeadLetterView extends NextStep {
  consumer: string;
  event: string;
  topic: string;
  key: string;
  /** The name of the catalog, or the type as it came. */
  type: string;
  parkedAt: string;
  reason: string;
  /** What is wrong in it, if it is the message that is wrong. */
  field: string | null;
  source: string | null;
  /** Where it stood on Kafka, if it came from there. */
  origin: string | null;
  /** How often it was put aside. */
  attempts: number;
  /** Another try was asked for and is not over. */
  retryAskedAt: string | null;
  retryBy: string | null;
}

/** One dead letter, with its event where the log has it. */
export interface DeadLetterDetail extends DeadLetterView {
  /** Null where it is not in the log; `position` is that of `curtail get events`. */
  logged: {
    position: string;
    partition: string;
    stream: string;
    version: number;
    time: string;
    data: unknown;
  } | null;
}

export interface Letter {
  consumer: string;
  event: string;
}

/** What became of a command: `more` letters match than were taken. */
export interface LettersDone {
  letters: Letter[];
  /** Those that cannot be tried again. */
  left: (Letter & { nextStep: string })[];
  more: boolean;
}
