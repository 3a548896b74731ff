import { InputError } from '#contracts';
import { booleanAt, type Fields, nameAt } from '../../fields.js';
import { notInstant } from '../../snapshot/applications.js';
import { type Snapshot, UNLISTED_ROOT } from '../../snapshot/columns.js';
import type { Writable } from '../../writable.js';
import { type AsksRead, readPending } from './asks.js';
import type { OperationColumns } from './columns.js';
import type { ElementProperties } from './element-properties.js';
import { labelsAt } from './labels.js';
import { choiceAt, millisecondsAt, orderById, propertiesAt } from './values.js';

export interface OperationsRead
  extends Omit<Writable<OperationColumns>, 'count' | 'pending' | 'firstAllocation' | 'byOperation'> {
  /** By place in the input. */
  numberOf: Int32Array;
  /** Place in the input by number. */
  places: Int32Array;
  pool: Int32Array;
}

/** The applications by id; an operation may stand in any pool. `shift`: from the number of a queue to that of its pool. */
export function readOperations(
  { applications }: Snapshot,
  shift: number,
  elements: ElementProperties,
  asks: AsksRead,
): OperationsRead {
  const { count } = applications;
  const { ids, numberOf, places } = orderById(applications.ids);
  const read: OperationsRead = {
    ids,
    numberOf,
    places,
    pool: new Int32Array(count),
    users: Array.from(places, (place) => applications.users[place]),
    submittedAt: Float64Array.from(places, (place) => applications.submittedAt[place]!),
    suspended: new Uint8Array(count),
    gang: new Uint8Array(count),
    graceful: new Uint8Array(count),
    filter: [],
    preemptionTimeout: new Float64Array(count),
    firstAsk: new Int32Array(count + 1),
  };
  places.forEach((place, operation) => {
    const at = `applications[${place}]`;
    const queue = applications.queue[place]!;
    if (queue === -1) nameAt(undefined, `${at}.queue`);
    read.pool[operation] = queue === UNLISTED_ROOT ? 0 : queue + shift;
    if (Number.isNaN(read.submittedAt[operation])) {
      throw new InputError(`${at}.submittedAt`, notInstant(undefined));
    }
    const properties = propertiesAt(applications.properties[place], `${at}.properties`);
    elements.add(properties, `${at}.properties`);
    elements.readLimit(properties.resourceLimits, `${at}.properties.resourceLimits`);
    readOwnProperties(read, operation, properties, `${at}.properties`);
    readPending(applications.pending, place, operation, read.filter[operation]!, asks);
    read.firstAsk[operation + 1] = asks.operation.length;
  });
  return read;
}

function readOwnProperties(read: OperationsRead, operation: number, properties: Fields, at: string): void {
  read.suspended[operation] = booleanAt(properties.suspended, `${at}.suspended`, false) ? 1 : 0;
  read.gang[operation] = booleanAt(properties.isGang, `${at}.isGang`, false) ? 1 : 0;
  const mode = choiceAt(properties.preemptionMode, `${at}.preemptionMode`, 'normal', ['normal', 'graceful']);
  read.graceful[operation] = mode === 'graceful' ? 1 : 0;
  read.filter.push(labelsAt(properties.schedulingTagFilter, `${at}.schedulingTagFilter`));
  read.preemptionTimeout[operation] = millisecondsAt(
    properties.allocationPreemptionTimeout,
    `${at}.allocationPreemptionTimeout`,
  );
}
