import { InputError, shown } from '#contracts';
import { arrayAt, booleanAt, type Fields, isAbsent } from '../../fields.js';
import { AmountList } from '../../snapshot/amounts.js';
import type { Snapshot } from '../../snapshot/columns.js';
import type { TypeNames } from '../../snapshot/type-names.js';
import type { Writable } from '../../writable.js';
import { type FifoParameter, INHERITED, type PoolColumns } from './columns.js';
import type { ElementProperties } from './element-properties.js';
import { choiceAt, propertiesAt } from './values.js';

const FIFO_PARAMETERS: readonly FifoParameter[] = ['weight', 'startTime', 'pendingJobCount'];
const DEFAULT_FIFO_PARAMETERS: readonly FifoParameter[] = ['weight', 'startTime'];

export interface PoolsRead extends Omit<Writable<PoolColumns>, 'guaranteed' | 'paths'> {
  paths: readonly string[];
  parent: Int32Array;
  guaranteed: AmountList;
}

/** How much larger the number of a pool is than that of its queue: `root` is pool 0, and may be left out of the queues. */
export const poolShift = ({ queues }: Snapshot): number => (queues.number.has('root') ? 0 : 1);

/** Reads pools: all stand under `root`. */
export function readPools(snapshot: Snapshot, types: TypeNames, elements: ElementProperties): PoolsRead {
  const { queues } = snapshot;
  refuseOutsideRoot(snapshot);
  const shift = poolShift(snapshot);
  const count = queues.count + shift;
  const paths = shift === 0 ? queues.paths : ['root', ...queues.paths];
  const read: PoolsRead = {
    count,
    paths,
    number: new Map(paths.map((path, pool) => [path, pool])),
    parent: new Int32Array(count).fill(-1),
    enforcing: new Uint8Array(count),
    fifo: new Uint8Array(count),
    fifoParameters: [],
    guaranteed: AmountList.of(types, false),
    enableAggressive: new Uint8Array(count),
    allowAggressive: new Uint8Array(count),
    allowNormal: new Uint8Array(count),
  };
  read.enforcing.set(queues.enforcing, shift);
  const propertiesOf = (pool: number): string => `queues[${queues.inputPlace[pool - shift]}].properties`;
  for (let pool = 0; pool < count; pool++) {
    const at = propertiesOf(pool);
    const properties = propertiesAt(queues.properties[pool - shift], at);
    elements.add(properties, at);
    readPoolProperties(read, pool, properties, at);
    if (pool === 0) continue;
    const above = queues.parent[pool - shift]! + shift;
    read.parent[pool] = above;
    if (read.fifo[above] === 0) continue;
    throw new InputError(
      `${propertiesOf(above)}.mode`,
      `a fifo pool holds operations only, and ${paths[pool]} is below it; use fair_share`,
    );
  }
  elements.limit.addAll(queues.limits, (queue) => queue + shift);
  read.guaranteed.addAll(queues.guarantees, (queue) => queue + shift);
  return read;
}

function refuseOutsideRoot({ queues }: Snapshot): void {
  queues.paths.forEach((path, queue) => {
    if (path === 'root' || path.startsWith('root.')) return;
    throw new InputError(
      `queues[${queues.inputPlace[queue]}].path`,
      `${shown(path)} is not below root; write root.${path}`,
    );
  });
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
