import { InputError, isObject } from '#contracts';
import type { Parameters, YtReads } from './yt-api.js';
import { YtError, ytCodes } from './yt-error.js';

const scheduler = '//sys/scheduler/orchid/scheduler';
const jobsOf = 'list_jobs-';
const needed = ['tree', 'operations', 'nodes', 'list_operations'];
/** Without these, a plan is that of another tree; docs/how-to/ytsaurus.md names them too. */
const attributes = ['config', 'resource_limits', 'strong_guarantee_resources', 'weight', 'mode'];

/**
 * Saved answers of the HTTP API in the place of a proxy, by the names of their files: `tree`, `operations`, `nodes`, `list_operations`, and
 * `list_jobs-ID` of each operation; also `node_addresses`, `pools` and `connected`.
 */
export class SavedYtAnswers implements YtReads {
  /** What they are called in messages. */
  readonly url: string;
  private readonly files: ReadonlyMap<string, string>;

  /** @param answers by name, parsed. @throws InputError if one that is needed is missing. */
  constructor(
    private readonly tree: string,
    private readonly answers: ReadonlyMap<string, { file: string; value: unknown }>,
  ) {
    const trees = `${scheduler}/pool_trees/${tree}`;
    this.files = new Map([
      [`//sys/pool_trees/${tree}`, 'tree'],
      [`${trees}/operations`, 'operations'],
      [`${trees}/pools`, 'pools'],
      [`${scheduler}/nodes`, 'nodes'],
      [`${scheduler}/scheduling_info_per_pool_tree/${tree}/node_addresses`, 'node_addresses'],
      [`${scheduler}/connected`, 'connected'],
    ]);
    this.url = 'the saved answers';
    const missing = needed.filter((name) => !answers.has(name));
    if (missing.length === 0) return;
    const commands = missing.map((name) => `${name}.json (${this.howToSave(name)})`).join(', ');
    throw new InputError(
      '',
      `of the answers of YTsaurus, these are missing: ${commands}; save is explained in docs/how-to/ytsaurus.md`,
    );
  }

  /** Whether the list of an operation's jobs is there. */
  hasJobsOf(operation: string): boolean {
    return this.answers.has(`${jobsOf}${operation}`);
  }

  /** The command of docs/how-to/ytsaurus.md that saves an answer. @param name of its file, without .json. */
  howToSave(name: string): string {
    const [path] = [...this.files].find(([, file]) => file === name) ?? [];
    const [command, parameters] = name.startsWith(jobsOf)
      ? ['list_jobs', { operation_id: name.slice(jobsOf.length), job_state: 'running', limit: 1000 }]
      : path === undefined
        ? [name, { state: 'running', pool_tree: this.tree, limit: 1000 }]
        : ['get', { path, ...(name === 'tree' && { attributes }) }];
    return `save ${name} ${command} '${JSON.stringify(parameters)}'`;
  }

  async read(
    command: string,
    { path, operation_id: operation, limit, offset }: Parameters,
  ): Promise<unknown> {
    if (command === 'list_jobs') {
      const found = this.answers.get(`${jobsOf}${String(operation)}`);
      // An operation whose jobs are missing does not fit what the scheduler shows of it.
      if (found === undefined) return { jobs: [] };
      const { jobs, ...rest } = fieldsOf(found);
      if (!Array.isArray(jobs))
        throw new InputError(found.file, 'it has no list jobs: it is no answer of list_jobs');
      return { ...rest, jobs: jobs.slice(Number(offset), Number(offset) + Number(limit)) };
    }
    const name = command === 'list_operations' ? command : this.files.get(String(path));
    const found = name === undefined ? undefined : this.answers.get(name);
    if (found === undefined) {
      throw new YtError('refused', `${String(path ?? command)} is not among the saved answers`, {
        codes: new Set([ytCodes.resolve]),
      });
    }
    if (command !== 'list_operations') return bare(found.value);
    const fields = fieldsOf(found);
    if (fields.incomplete !== true) return fields;
    throw new InputError(found.file, 'it is incomplete: save all pages as one, with incomplete false');
  }

  async readKept<T>(command: string, parameters: Parameters, read: (answer: unknown) => T): Promise<T> {
    return read(await this.read(command, parameters));
  }

  get(path: string): Promise<unknown> {
    return this.read('get', { path });
  }

  async find(path: string): Promise<unknown> {
    return this.answers.has(this.files.get(path) ?? '') ? this.get(path) : undefined;
  }
}

/** Without `return_only_value`, an answer is `{"value": …}`. */
function bare(value: unknown): unknown {
  return isObject(value) && Object.keys(value).join() === 'value'
    ? (value as { value: unknown }).value
    : value;
}

function fieldsOf({ file, value }: { file: string; value: unknown }): Record<string, unknown> {
  if (isObject(value)) return value as Record<string, unknown>;
  throw new InputError(file, 'an object is expected here: the answer of the HTTP API');
}
