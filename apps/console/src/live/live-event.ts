import { eventName } from '#contracts/events';
import { runOfStream, type StoredEvent } from '#event-store';

/** An event of the log as pages get it: what happened to which queue and run, without the data. */
export interface LiveEvent {
  position: string;
  time: string;
  /** The name of the catalog. */
  name: string;
  stream: string;
  version: number;
  queue: string;
  /** The run whose stream has the event. */
  enforcement?: string;
}

export function liveEventOf({ position, time, type, stream, version, key }: StoredEvent): LiveEvent {
  const enforcement = runOfStream(stream);
  return {
    position,
    time: time.toISOString(),
    name: eventName(type) ?? type,
    stream,
    version,
    queue: key,
    ...(enforcement !== undefined && { enforcement }),
  };
}
