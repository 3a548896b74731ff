import { eventName } from '@curtail/contracts/events';
import { enforcementStream, operatorStream, planStream, type StoredEvent } from '@curtail/event-store';

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

const streamsOfRuns = [planStream(''), operatorStream(''), enforcementStream('')];

export function liveEventOf({ position, time, type, stream, version, key }: StoredEvent): LiveEvent {
  const prefix = streamsOfRuns.find((of) => stream.startsWith(of));
  return {
    position,
    time: time.toISOString(),
    name: eventName(type) ?? type,
    stream,
    version,
    queue: key,
    ...(prefix !== undefined && { enforcement: stream.slice(prefix.length) }),
  };
}
