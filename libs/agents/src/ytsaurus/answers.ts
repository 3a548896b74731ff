import { InputError, isObject, type Resources } from '#contracts';
import { fieldsOf, listIn, textIn } from '../yunikorn/fields.js';

/** What answers of YTsaurus mean. Each reader throws an InputError with the field that is not as YTsaurus writes it. */

export interface YtNode {
  address: string;
  capacity: Resources;
  tags: readonly string[];
}

/** An operation as the scheduler's orchid shows it in one tree. */
export interface OrchidOperation {
  pool: string;
  usage: Resources;
  /** What it uses and asks for. */
  demand: Resources;
  isGang: boolean;
  isGraceful: boolean;
  weight: number | undefined;
}

/** An operation as it is listed. */
export interface ListedOperation {
  id: string;
  user: string | undefined;
  startedAt: number;
  suspended: boolean;
  /** Counters of its jobs, which change with each job that starts or ends; undefined: not shown. */
  progress: string | undefined;
  limits: Resources;
  weight: number | undefined;
  tagFilter: string;
}

/** No more than is kept: there may be hundreds of thousands. */
export interface YtJob {
  id: string;
  node: string | undefined;
  /** Such as 2026-11-29T12:00:00.000Z. */
  startedAt: string;
}

/** Jobs of one operation. */
export interface ListedJobs {
  jobs: YtJob[];
  /** The names of their tasks. */
  tasks: Set<string>;
  /** The allocation of each; undefined: not shown. */
  allocations: (string | undefined)[];
}

const millicores = 1000;
/** The types of YTsaurus by their names here; `memory` also stands under its newer name. */
const types = [
  ['cpu', 'vcore'],
  ['memory', 'memory'],
  ['user_slots', 'pods'],
  ['gpu', 'nvidia.com/gpu'],
  ['network', 'network'],
] as const;

/** Amounts in base units; absent ones are not named. @param keepsZeros whether a zero is one that was named. */
export function ytsaurusAmounts(value: unknown, path: string, keepsZeros = false): Resources {
  if (value === undefined || value === null) return {};
  const fields = fieldsOf(value, path);
  const amounts: Record<string, number> = {};
  for (const [written, type] of types) {
    const amount = fields[written] ?? (written === 'memory' ? fields.user_memory : undefined);
    if (amount === undefined || amount === null) continue;
    if (typeof amount !== 'number' || !Number.isFinite(amount)) {
      throw new InputError(
        `${path}.${written}`,
        `a number is expected here, not ${JSON.stringify(amount).slice(0, 64)}`,
      );
    }
    const whole = Math.max(0, Math.round(type === 'vcore' ? amount * millicores : amount));
    if (whole > 0 || keepsZeros) amounts[type] = Math.min(whole, Number.MAX_SAFE_INTEGER);
  }
  return amounts;
}

/** Nodes that are there for the scheduler. @param addresses of the tree; undefined: all nodes are of it. */
export function readNodes(answer: unknown, addresses: ReadonlySet<string> | undefined): YtNode[] {
  return Object.entries(fieldsOf(answer, 'nodes')).flatMap(([address, value]) => {
    if (addresses !== undefined && !addresses.has(address)) return [];
    const path = `nodes.${address}`;
    // `yt get` with attributes writes them apart.
    const fields = fieldsOf(isObject(value) && '$attributes' in value ? value.$attributes : value, path);
    const states = [fields.scheduler_state, fields.master_state, fields.state];
    if (states.some((state) => state !== undefined && state !== 'online')) return [];
    const tags = listIn(fields.tags, `${path}.tags`).filter((tag): tag is string => typeof tag === 'string');
    return [
      { address, capacity: ytsaurusAmounts(fields.resource_limits, `${path}.resource_limits`, true), tags },
    ];
  });
}

export function readAddresses(answer: unknown): ReadonlySet<string> {
  return new Set(
    listIn(answer, 'node_addresses').map((one, index) => textIn(one, `node_addresses[${index}]`)),
  );
}

export function readOrchid(answer: unknown): Map<string, OrchidOperation> {
  return new Map(
    Object.entries(fieldsOf(answer, 'operations')).map(([id, value]) => {
      const path = `operations.${id}`;
      const fields = fieldsOf(value, path);
      return [
        id,
        {
          pool: textIn(fields.pool, `${path}.pool`),
          usage: ytsaurusAmounts(fields.resource_usage, `${path}.resource_usage`),
          demand: ytsaurusAmounts(fields.resource_demand, `${path}.resource_demand`),
          isGang: fields.is_gang === true,
          isGraceful: fields.preemption_mode === 'graceful',
          weight: typeof fields.weight === 'number' ? fields.weight : undefined,
        },
      ];
    }),
  );
}

/** One page of `list_operations`. @param tree whose options count. */
export function readSchedulerOperations(
  answer: unknown,
  tree: string,
): { operations: ListedOperation[]; isIncomplete: boolean } {
  const { operations, incomplete } = fieldsOf(answer, '');
  if (!Array.isArray(operations)) throw new InputError('operations', 'a list of operations is expected here');
  return {
    isIncomplete: incomplete === true,
    operations: operations.map((item, index) => {
      const path = `operations[${index}]`;
      const fields = fieldsOf(item, path);
      const parameters = isObject(fields.runtime_parameters)
        ? (fields.runtime_parameters as Record<string, unknown>)
        : {};
      const trees = isObject(parameters.scheduling_options_per_pool_tree)
        ? (parameters.scheduling_options_per_pool_tree as Record<string, unknown>)
        : {};
      const own = isObject(trees[tree]) ? (trees[tree] as Record<string, unknown>) : {};
      const jobs = isObject(fields.brief_progress)
        ? (fields.brief_progress as Record<string, unknown>).jobs
        : undefined;
      const filter = own.scheduling_tag_filter ?? parameters.scheduling_tag_filter;
      return {
        id: textIn(fields.id, `${path}.id`),
        user: typeof fields.authenticated_user === 'string' ? fields.authenticated_user : undefined,
        startedAt: momentOf(fields.start_time, `${path}.start_time`),
        suspended: fields.suspended === true,
        progress: jobs === undefined ? undefined : JSON.stringify(jobs),
        limits: ytsaurusAmounts(own.resource_limits, `${path}.resource_limits`, true),
        weight: typeof own.weight === 'number' ? own.weight : undefined,
        tagFilter: typeof filter === 'string' ? filter.trim() : '',
      };
    }),
  };
}

/**
 * Adds one page of `list_jobs` to what is listed.
 *
 * @param addresses of nodes: each is kept once, however many jobs name it.
 * @returns the number of jobs on the page.
 */
export function readJobs(answer: unknown, listed: ListedJobs, addresses: Map<string, string>): number {
  const { jobs } = fieldsOf(answer, '');
  if (!Array.isArray(jobs)) throw new InputError('jobs', 'a list of jobs is expected here');
  jobs.forEach((item: unknown, index) => {
    const fields = isObject(item) ? (item as Record<string, unknown>) : {};
    const { id, state, address, start_time: time, task_name: task, allocation_id: allocation } = fields;
    if (state !== undefined && !isOperationAlive(state)) return;
    const startedAt = timeIn(time);
    if (typeof id !== 'string' || id === '' || startedAt === undefined) throw notAJob(item, `jobs[${index}]`);
    listed.jobs.push({ id, node: keptOnce(address, addresses), startedAt });
    listed.tasks.add(typeof task === 'string' ? task : '');
    listed.allocations.push(typeof allocation === 'string' ? allocation : undefined);
  });
  return jobs.length;
}

function keptOnce(address: unknown, addresses: Map<string, string>): string | undefined {
  if (typeof address !== 'string' || address === '') return undefined;
  const known = addresses.get(address);
  if (known === undefined) addresses.set(address, address);
  return known ?? address;
}

/** Paths are made only where something is wrong: there may be hundreds of thousands of jobs. */
function notAJob(item: unknown, path: string): Error {
  const { id, start_time: time } = fieldsOf(item, path);
  textIn(id, `${path}.id`);
  return noTime(time, `${path}.start_time`);
}

/** Whether a job holds its resources in this state. */
export const isOperationAlive = (state: unknown): boolean =>
  state === 'running' || state === 'waiting' || state === 'aborting';

const time =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3,6}Z$/;
const lengthToMilliseconds = '2026-11-29T12:00:00.000'.length;

/** A time to the millisecond; undefined: it is none. As YTsaurus writes it, it is only cut, which is much quicker than to read it. */
function timeIn(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (time.test(value)) {
    const isCut = value.length === lengthToMilliseconds + 1;
    return isCut ? value : `${value.slice(0, lengthToMilliseconds)}Z`;
  }
  const ms = Date.parse(value);
  return Number.isFinite(ms) ? new Date(ms).toISOString() : undefined;
}

/** Milliseconds since 1970. */
function momentOf(value: unknown, path: string): number {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isFinite(ms)) return ms;
  throw noTime(value, path);
}

const noTime = (value: unknown, path: string): InputError =>
  new InputError(
    path,
    `a time such as 2026-11-29T12:00:00.000000Z is expected here, not ${JSON.stringify(value ?? null).slice(0, 64)}`,
  );

export const isSame = (a: Resources, b: Resources): boolean =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].every((type) => (a[type] ?? 0) === (b[type] ?? 0));

export function sumOf(amounts: readonly Resources[]): Resources {
  const total: Record<string, number> = {};
  for (const one of amounts) {
    for (const [type, amount] of Object.entries(one)) total[type] = (total[type] ?? 0) + amount;
  }
  return total;
}

/** Equal parts; undefined if they are not whole. Cores are rounded to thousandths, so their sum may be off by half of one each. */
export function partOfAnswer(amounts: Resources, count: number): Resources | undefined {
  const part: Record<string, number> = {};
  for (const [type, amount] of Object.entries(amounts)) {
    if (amount % count !== 0) return undefined;
    part[type] = amount / count;
  }
  return part;
}
