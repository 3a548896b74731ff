import type { EventData, EventName } from '../events/catalog.js';

/** By the name of an event: a sentence for people that describes it with its key numbers. */
export type Sentences = { readonly [N in EventName]?: (event: EventData<N>) => string };

/** `quota-lowered` as `quota lowered`. */
export const words = (code: string): string => code.replaceAll('-', ' ');

export const because = ({ reason }: { reason?: string | undefined }): string => (reason ? `: ${reason}` : '');

export const queueOrPartition = (queue: string | null): string => queue ?? 'the partition';
