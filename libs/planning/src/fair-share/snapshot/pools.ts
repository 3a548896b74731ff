import { InputError, shown } from '@curtail/contracts';
import { arrayAt, booleanAt, type Fields, isAbsent, nameAt, objectAt } from '../../fields.js';
import { numberDepthFirst } from '../../snapshot/queue-tree.js';
import type { TypeNames } from '../../snapshot/type-names.js';
import { AmountsRead } from './amounts-read.js';
import { type FifoParameter, INHERITED } from './columns.js';
import { type ElementProperties, propertiesAt } from './element-properties.js';
import { choiceAt } from './values.js';

const FIFO_PARAMETERS: readonly FifoParameter[] = ['weight', 'startTime', 'pendingJobCount'];
const DEFAULT_FIFO_PARAMETERS: readonly FifoParameter[] = ['weight', 'startTime'];

export interface PoolsRead {
  paths: string[];
  number: Map<string, number>;
  parent: Int32Array;
  enforcing: Uint8Array;
  fifo: Uint8Array;
  fifoParameters: (readonly FifoParameter[])[];
  guaranteed: AmountsRead;
  enableAggressive: Uint8Array;
  allowAggressive: Uint8Array;
  allowNormal: Uint8Array;
}

/** Reads `queues` of a snapshot: all stand under `root`, which may be left out itself. */
export function readPools(input: unknown, types: TypeNames, elements: ElementProperties): PoolsRead {
  const raw = arrayAt(input, 'queues').map((queue, i) => objectAt(queue, `queues[${i}]`));
  const places = placesByPath(raw);
  const tree = numberDepthFirst(places);
  const count = tree.paths.length;
  const read: PoolsRead = {
    ...tree,
    enforcing: new Uint8Array(count),
    fifo: new Uint8Array(count),
    fifoParameters: [],
    guaranteed: AmountsRead.of(types, false),
    enableAggressive: new Uint8Array(count),
    allowAggressive: new Uint8Array(count),
    allowNormal: new Uint8Array(count),
  };
  tree.paths.forEach((path, pool) => {
    const place = places.get(path)!;
    const at = `queues[${place}]`;
    const queue = raw[place] ?? {};
    const properties = propertiesAt(queue.properties, `${at}.properties`);
    elements.add(properties, `${at}.properties`);
    elements.addLimit(queue.max, `${at}.max`);
    read.guaranteed.read(queue.guaranteed, `${at}.guaranteed`, pool);
    read.enforcing[pool] = booleanAt(queue.enforcing, `${at}.enforcing`, false) ? 1 : 0;
    readPoolProperties(read, pool, properties, `${at}.properties`);
  });
  for (let pool = 1; pool < count; pool++) {
    const above = read.parent[pool]!;
    if (read.fifo[above] === 0) continue;
    throw new InputError(
      `queues[${places.get(tree.paths[above]!)}].properties.mode`,
      `a fifo pool holds operations only, and ${tree.paths[pool]} is below it; use fair_share`,
    );
  }
  return read;
}

function placesByPath(raw: readonly Fields[]): Map<string, number> {
  const places = new Map<string, number>();
  raw.forEach((queue, i) => {
    const at = `queues[${i}].path`;
    const path = nameAt(queue.path, at);
    if (path !== 'root' && !path.startsWith('root.')) {
      throw new InputError(at, `${shown(path)} does not stand under root; write root.${path}`);
    }
    if (places.has(path)) {
      throw new InputError(at, `the path ${shown(path)} is there twice; list each queue once`);
    }
    places.set(path, i);
  });
  if (!places.has('root')) places.set('root', raw.length);
  return places;
}

function readPoolProperties(read: PoolsRead, pool: number, properties: Fields, at: string): void {
  const mode = choiceAt(properties.mode, `${at}.mode`, 'fair_share', ['fair_share', 'fifo']);
  read.fifo[pool] = mode === 'fifo' ? 1 : 0;
  read.fifoParameters.push(fifoParametersAt(properties.fifoSortParameters, `${at}.fifoSortParameters`));
  read.enableAggressive[pool] = flagAt(properties, 'enableAggressiveStarvation', at);
  read.allowAggressive[pool] = flagAt(properties, 'allowAggressivePreemption', at);
  read.allowNormal[pool] = flagAt(properties, 'allowNormalPreemption', at);
}

function flagAt(properties: Fields, name: string, at: string): number {
  if (isAbsent(properties[name])) return INHERITED;
  return booleanAt(properties[name], `${at}.${name}`, false) ? 1 : 0;
}

function fifoParametersAt(value: unknown, path: string): readonly FifoParameter[] {
  if (isAbsent(value)) return DEFAULT_FIFO_PARAMETERS;
  return arrayAt(value, path).map((parameter) => {
    const found = FIFO_PARAMETERS.find((known) => known === parameter);
    if (found !== undefined) return found;
    throw new InputError(
      path,
      `must be a list of some of ${FIFO_PARAMETERS.join(', ')}, found ${shown(parameter)}`,
    );
  });
}
