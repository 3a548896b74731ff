import type { EventData, EventName } from '#contracts';

/** An event of the log, as a test checks it. */
export interface LoggedEvent<N extends EventName = EventName> {
  position: bigint;
  stream: string;
  version: number;
  key: string;
  time: Date;
  name: N;
  data: EventData<N>;
}
