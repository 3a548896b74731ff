import type { EventData, EventName } from '../events/catalog.js';

/** By the name of an event: a sentence for people that describes it with its key numbers. */
export type Sentences = { readonly [N in EventName]?: (event: EventData<N>) => string };
