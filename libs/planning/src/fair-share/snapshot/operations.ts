import { InputError, shown } from '@curtail/contracts';
import { arrayAt, booleanAt, type Fields, isAbsent, nameAt, numberAt, objectAt } from '../../fields.js';
import { type AsksRead, readPending } from './asks.js';
import { type ElementProperties, propertiesAt } from './element-properties.js';
import { type LabelSet, labelsAt } from './labels.js';
import { numberById } from './number-by-id.js';
import { choiceAt, instantAt, millisecondsAt } from './values.js';

export interface OperationsRead {
  ids: string[];
  number: Map<string, number>;
  /** Place in the input by number. */
  places: number[];
  pool: Int32Array;
  users: (string | undefined)[];
  priority: Float64Array;
  submittedAt: Float64Array;
  suspended: Uint8Array;
  gang: Uint8Array;
  graceful: Uint8Array;
  filter: LabelSet[];
  preemptionTimeout: Float64Array;
  firstAsk: Int32Array;
}

/** Reads `applications` of a snapshot; an operation may stand in any pool. */
export function readOperations(
  input: unknown,
  poolNumber: ReadonlyMap<string, number>,
  elements: ElementProperties,
  asks: AsksRead,
): OperationsRead {
  const raw = arrayAt(input, 'applications').map((value, i) => objectAt(value, `applications[${i}]`));
  const givenIds = raw.map(({ id }, i) => nameAt(id, `applications[${i}].id`));
  const { ids, number, places } = numberById(givenIds, (i, id) => {
    throw new InputError(
      `applications[${i}].id`,
      `the id ${shown(id)} is there twice; list each application once`,
    );
  });
  const count = ids.length;
  const read: OperationsRead = {
    ids,
    number,
    places,
    pool: new Int32Array(count),
    users: [],
    priority: new Float64Array(count),
    submittedAt: new Float64Array(count),
    suspended: new Uint8Array(count),
    gang: new Uint8Array(count),
    graceful: new Uint8Array(count),
    filter: [],
    preemptionTimeout: new Float64Array(count),
    firstAsk: new Int32Array(count + 1),
  };
  places.forEach((place, operation) => {
    const at = `applications[${place}]`;
    const application = raw[place]!;
    read.pool[operation] = poolAt(application.queue, `${at}.queue`, poolNumber);
    read.users.push(textAt(application.user, `${at}.user`));
    const { priority } = application;
    read.priority[operation] = isAbsent(priority) ? 0 : numberAt(priority, `${at}.priority`);
    read.submittedAt[operation] = instantAt(application.submittedAt, `${at}.submittedAt`);
    const properties = propertiesAt(application.properties, `${at}.properties`);
    elements.add(properties, `${at}.properties`);
    elements.addLimit(properties.resourceLimits, `${at}.properties.resourceLimits`);
    readOwnProperties(read, operation, properties, `${at}.properties`);
    readPending(application.pending, `${at}.pending`, operation, read.filter[operation]!, asks);
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

function poolAt(value: unknown, path: string, poolNumber: ReadonlyMap<string, number>): number {
  const pool = poolNumber.get(nameAt(value, path));
  if (pool !== undefined) return pool;
  throw new InputError(path, `the queue ${shown(value)} is not among the queues of the snapshot`);
}

function textAt(value: unknown, path: string): string | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'string') return value;
  throw new InputError(path, `must be a text, found ${shown(value)}`);
}
