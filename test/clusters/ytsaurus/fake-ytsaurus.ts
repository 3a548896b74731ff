import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { cypress, type Place } from './cypress.js';
import { type FakeJob, type FakeOperation, World } from './world.js';
import { isAttributed, readYson, type Value, writeYson } from './yson.js';

type Parameters = Record<string, Value>;

export interface Call {
  command: string;
  parameters: Parameters;
  user: string;
  /** When it arrived, by the clock of this machine, in milliseconds. */
  at: number;
}

/** An error of YTsaurus, nested as its servers nest them. */
export class YtFault extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly inner: YtFault[] = [],
    /** Of HTTP. */
    readonly status = 400,
  ) {
    super(message);
  }

  get value(): Record<string, Value> {
    return {
      code: this.code,
      message: this.message,
      attributes: {},
      inner_errors: this.inner.map(({ value }) => value),
    };
  }
}

/** What a test does to an answer. */
export interface Trouble {
  /** Answers with this in place of the right answer, without carrying the request out. */
  instead?: (response: ServerResponse) => void;
  /** Carries the request out, and closes the connection without an answer. */
  losesAnswer?: boolean;
  fault?: YtFault;
  /** Puts the error into the trailers of a 200. */
  inTrailers?: boolean;
  /** Half of the body, under its whole length. */
  truncated?: boolean;
  afterMs?: number;
}

const commands = {
  get: ['null', 'structured', false, false],
  list: ['null', 'structured', false, false],
  exists: ['null', 'structured', false, false],
  set: ['structured', 'structured', true, false],
  list_operations: ['null', 'structured', false, false],
  get_operation: ['null', 'structured', false, false],
  list_jobs: ['null', 'structured', false, false],
  get_job: ['null', 'structured', false, false],
  abort_job: ['null', 'structured', true, false],
  check_permission: ['null', 'structured', false, false],
  get_current_user: ['null', 'structured', false, false],
  read_table: ['null', 'tabular', false, true],
} as const;
type Command = keyof typeof commands;

const mostItems = 1000;

/**
 * The HTTP API v4 of YTsaurus over a pretended cluster, as far as agents use it. The official Python client is its judge
 * (`official-client.int.spec.ts`): shapes of requests and errors are those that this client sends and reads.
 *
 * Guessed, since no public text shows it: what the orchid shows while the scheduler is disconnected, and the words of messages.
 */
export class FakeYtsaurus {
  readonly world = new World();
  /** Users by token. */
  readonly users = new Map([['t', 'curtail']]);
  /** The user of requests without a token; undefined: they are refused. */
  anonymous: string | undefined;
  /** Users without the right to manage operations. */
  readonly withoutManage = new Set<string>();
  /** Users without the right to read. */
  readonly withoutRead = new Set<string>();
  readonly calls: Call[] = [];
  /** What happens to a request; undefined: nothing. */
  trouble: (call: Call) => Trouble | undefined = () => undefined;
  /** The code of "no such job". */
  noSuchJob = 1916;
  /** false: as with current servers, an answer of abort_job is not kept under its mutation id. */
  keepsAborts = false;
  private readonly kept = new Map<string, Value>();
  private server: Server | undefined;
  private port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Also after `down`, under the same address. */
  async up(): Promise<this> {
    const server = createServer((request, response) => {
      this.take(request, response).catch((error: Error) => response.destroy(error));
    });
    this.server = server;
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    return this;
  }

  async down(): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    this.server = undefined;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }

  /** Requests of a command, in their order. */
  callsOf(command: Command): Parameters[] {
    return this.calls.filter((call) => call.command === command).map(({ parameters }) => parameters);
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const path = new URL(request.url ?? '/', this.url).pathname;
    if (path === '/api/v4') return sendJson(response, 200, listed());
    if (path === '/api') return sendJson(response, 200, ['v3', 'v4']);
    // The proxies for heavy commands.
    if (path === '/hosts') return sendJson(response, 200, [new URL(this.url).host]);
    if (path === '/ping') return sendJson(response, 200, {});
    const command = path.replace(/^\/api\/v4\//, '') as Command;
    const isKnown = path.startsWith('/api/v4/') && Object.hasOwn(commands, command);
    if (!isKnown) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found');
      return;
    }
    const { parameters, format } = parametersOf(command, request, body);
    const token = /^OAuth (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const user = token === undefined ? this.anonymous : this.users.get(token);
    if (user === undefined) return this.sendFault(response, new YtFault(900, 'Invalid credentials', [], 401));
    const call = { command, parameters, user, at: Date.now() };
    this.calls.push(call);
    const trouble = this.trouble(call) ?? {};
    if (trouble.afterMs !== undefined) await delay(trouble.afterMs);
    if (trouble.instead) return trouble.instead(response);
    try {
      if (trouble.fault) throw trouble.fault;
      const value = this.once(call, body);
      if (trouble.losesAnswer) {
        response.destroy();
        return;
      }
      const isJson = format.includes('json');
      const text = value === undefined ? '' : isJson ? JSON.stringify(value) : writeYson(value);
      const isPacked = String(request.headers['accept-encoding'] ?? '').includes('gzip');
      const answer = isPacked ? gzipSync(text) : Buffer.from(text);
      response.writeHead(200, {
        'content-type': isJson ? 'application/json' : 'application/x-yt-yson-text',
        'x-yt-response-code': '0',
        'content-length': answer.length,
        ...(isPacked && { 'content-encoding': 'gzip' }),
      });
      if (trouble.truncated) {
        response.write(answer.subarray(0, answer.length / 2));
        response.destroy();
      } else response.end(answer);
    } catch (error) {
      if (!(error instanceof YtFault)) throw error;
      this.sendFault(response, error, trouble.inTrailers);
    }
  }

  private sendFault(response: ServerResponse, fault: YtFault, inTrailers = false): void {
    const text = JSON.stringify(fault.value);
    const marks = { 'X-YT-Error': text, 'X-YT-Response-Code': String(fault.code) };
    if (inTrailers) {
      response.writeHead(200, {
        'content-type': 'application/json',
        trailer: 'X-YT-Error, X-YT-Response-Code',
      });
      response.write('{"operations":[],');
      response.addTrailers(marks);
      response.end();
      return;
    }
    response.writeHead(fault.status, { 'content-type': 'application/json', ...marks }).end(text);
  }

  /** Answers of changes are kept under their mutation id. */
  private once(call: Call, body: string): Value {
    const { command, parameters } = call;
    const id = parameters.mutation_id;
    const isKept =
      id !== undefined && commands[command as Command][2] && (command !== 'abort_job' || this.keepsAborts);
    if (isKept && this.kept.has(String(id))) {
      if (parameters.retry !== true) throw new YtFault(1, 'Duplicate request is not marked as "retry"');
      return this.kept.get(String(id));
    }
    const value = this.carryOut(call, body);
    if (isKept) this.kept.set(String(id), value);
    return value;
  }

  private carryOut({ command, parameters, user }: Call, body: string): Value {
    const isBare = parameters.return_only_value === true;
    const wrapped = (value: Value) => (isBare ? value : { value });
    if (this.withoutRead.has(user) && command !== 'check_permission') {
      throw new YtFault(
        901,
        `Access denied for user "${user}": "read" permission is not allowed by any matching ACE`,
      );
    }
    this.world.passTime();
    switch (command as Command) {
      case 'get':
        return wrapped(this.get(parameters));
      case 'list': {
        const { place } = this.find(String(parameters.path));
        return wrapped([...(place.children?.() ?? new Map()).keys()]);
      }
      case 'exists':
        try {
          this.get(parameters);
          return wrapped(true);
        } catch {
          return wrapped(false);
        }
      case 'set':
        return this.set(
          String(parameters.path),
          /^\s*[{["\d]/.test(body) && isJsonText(body) ? JSON.parse(body) : readYson(body),
        );
      case 'list_operations':
        return this.listOperations(parameters);
      case 'get_operation': {
        const operation = this.world.operations.get(String(parameters.operation_id));
        if (operation === undefined) throw new YtFault(1915, `No such operation ${parameters.operation_id}`);
        return this.described(operation);
      }
      case 'list_jobs':
        return this.listJobs(parameters);
      case 'get_job': {
        const job = this.world.jobs.get(String(parameters.job_id));
        if (job === undefined) throw this.noJob(parameters.job_id);
        return describedJob(job);
      }
      case 'abort_job':
        return this.abortJob(parameters, user);
      case 'get_current_user':
        return { user };
      case 'check_permission':
        return {
          action: this.isAllowed(String(parameters.user), String(parameters.permission)) ? 'allow' : 'deny',
        };
      default:
        throw new YtFault(1, `Command ${command} is not played`);
    }
  }

  private isAllowed(user: string, permission: string): boolean {
    return permission === 'read' ? !this.withoutRead.has(user) : !this.withoutManage.has(user);
  }

  private find(path: string): { place: Place; attribute: string[] | undefined } {
    const [, nodes = '', attribute] = /^\/\/?(.*?)(?:\/@(.*))?$/.exec(path) ?? [];
    let place = cypress(this.world);
    for (const name of nodes.split('/').filter((one) => one !== '')) {
      const child = place.children?.().get(name);
      if (child === undefined)
        throw new YtFault(500, `Error resolving path ${path}`, [
          new YtFault(500, `Node has no child with key "${name}"`),
        ]);
      place = child();
    }
    return {
      place,
      attribute: attribute === undefined ? undefined : attribute.split('/').filter((one) => one !== ''),
    };
  }

  private get({ path, attributes, fields }: Parameters): Value {
    const { place, attribute } = this.find(String(path));
    if (attribute !== undefined) {
      let value: Value = place.attributes ?? {};
      for (const name of attribute) {
        if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
          throw new YtFault(500, `Attribute "${name}" is not found`);
        value = (value as Record<string, Value>)[name];
      }
      return value;
    }
    return contentOf(place, (attributes ?? []) as string[], fields as string[] | undefined);
  }

  private set(path: string, value: Value): Value {
    const [, tree = '', pool = '', name = '', inner] =
      /^\/\/sys\/pool_trees\/([^/]+)\/?(.*?)\/?@([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
    const there = this.world.trees.get(tree);
    if (there === undefined || name === '') throw new YtFault(500, `Error resolving path ${path}`);
    const of = pool === '' ? there : this.world.pool(tree, pool);
    const before = (of.attributes[name] ?? {}) as Record<string, Value>;
    this.world.setAttribute(of, name, inner === undefined ? value : { ...before, [inner]: value });
    return {};
  }

  private described(operation: FakeOperation): Record<string, Value> {
    return {
      id: operation.id,
      type: 'vanilla',
      state: operation.state,
      authenticated_user: operation.user,
      start_time: new Date(operation.startedAt).toISOString(),
      suspended: operation.suspended,
      brief_spec: { title: 'test', pool: operation.pool },
      brief_progress: {
        jobs: { running: this.world.running(operation).length, pending: operation.pending },
      },
      runtime_parameters: {
        scheduling_tag_filter: operation.tagFilter,
        scheduling_options_per_pool_tree: {
          [operation.tree]: {
            pool: operation.pool,
            weight: operation.weight,
            resource_limits: operation.limits,
          },
        },
      },
    };
  }

  private listOperations(parameters: Parameters): Value {
    const {
      state,
      pool_tree: tree,
      cursor_time: cursor,
      cursor_direction: direction = 'past',
      limit = 100,
    } = parameters;
    if (Number(limit) > mostItems)
      throw new YtFault(1, `Requested result limit (${limit}) exceeds maximum allowed limit (${mostItems})`);
    const from = cursor === undefined ? undefined : Date.parse(String(cursor));
    const all = [...this.world.operations.values()]
      .filter((one) => state === undefined || one.state === state)
      .filter((one) => tree === undefined || one.tree === tree)
      .filter(
        ({ startedAt }) =>
          from === undefined || (direction === 'past' ? startedAt <= from : startedAt >= from),
      )
      .sort(
        (a, b) =>
          (direction === 'past' ? b.startedAt - a.startedAt : a.startedAt - b.startedAt) ||
          (a.id < b.id ? -1 : 1),
      );
    const page = all.slice(0, Number(limit));
    const names = parameters.attributes as string[] | undefined;
    return {
      operations: page.map((one) => onlyNamed(this.described(one), names)),
      incomplete: page.length < all.length,
    };
  }

  private listJobs(parameters: Parameters): Value {
    const { operation_id: id, job_state: state, limit = 1000, offset = 0 } = parameters;
    if (Number(limit) > mostItems)
      throw new YtFault(1, `Requested result limit (${limit}) exceeds maximum allowed limit (${mostItems})`);
    const operation = this.world.operations.get(String(id));
    if (operation === undefined) throw new YtFault(1915, `No such operation ${id}`);
    const jobs = [...operation.jobs]
      .flatMap((job) => this.world.jobs.get(job) ?? [])
      .filter((job) => state === undefined || job.state === state)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const page = jobs.slice(Number(offset), Number(offset) + Number(limit));
    return {
      jobs: page.map(describedJob),
      controller_agent_job_count: jobs.length,
      scheduler_job_count: jobs.length,
      cypress_job_count: null,
      archive_job_count: null,
      errors: [],
    };
  }

  private noJob(id: Value): YtFault {
    return new YtFault(1, `Error aborting job ${id}`, [new YtFault(this.noSuchJob, `No such job ${id}`)]);
  }

  private abortJob({ job_id: id, interrupt_timeout: timeout }: Parameters, user: string): Value {
    const job = this.world.jobs.get(String(id));
    if (job === undefined || job.state !== 'running') throw this.noJob(id);
    const operation = this.world.operations.get(job.operation);
    if (!this.isAllowed(user, 'manage')) {
      throw new YtFault(
        901,
        `Access denied for user "${user}": "manage" permission for operation ${job.operation} is not allowed`,
      );
    }
    if (timeout === undefined || Number(timeout) === 0) {
      this.world.endJob(job, 'aborted');
      return {};
    }
    if (operation?.finishesAfterMs === undefined) {
      throw new YtFault(1, `Error interrupting job ${id} of operation ${job.operation}`);
    }
    this.world.interrupt(job, Number(timeout));
    return {};
  }
}

/** As its servers do, which refuse attributes that they do not know. */
function onlyNamed(described: Record<string, Value>, names = Object.keys(described)): Record<string, Value> {
  const unknown = names.find((name) => !Object.hasOwn(described, name));
  if (unknown !== undefined) throw new YtFault(1, `Attribute "${unknown}" is not allowed`);
  return Object.fromEntries(names.map((name) => [name, described[name]]));
}

function describedJob(job: FakeJob): Record<string, Value> {
  return {
    id: job.id,
    operation_id: job.operation,
    allocation_id: job.allocation,
    type: 'vanilla',
    state: job.state,
    address: job.node,
    start_time: new Date(job.startedAt).toISOString(),
    task_name: job.task,
    job_competition_id: job.id,
  };
}

function contentOf(place: Place, attributes: string[], fields: string[] | undefined): Value {
  const $attributes = Object.fromEntries(
    attributes.flatMap((name) => {
      const value = place.attributes?.[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const value = bare(place, attributes, fields);
  return Object.keys($attributes).length === 0 ? value : { $attributes, $value: value };
}

function bare(place: Place, attributes: string[], fields: string[] | undefined): Value {
  if (place.value) {
    const value = place.value();
    if (fields === undefined || typeof value !== 'object' || value === null || Array.isArray(value))
      return value;
    return Object.fromEntries(Object.entries(value).filter(([name]) => fields.includes(name)));
  }
  return Object.fromEntries(
    [...(place.children?.() ?? [])].map(([name, child]) => [name, contentOf(child(), attributes, fields)]),
  );
}

const listed = () =>
  Object.entries(commands).map(([name, [input_type, output_type, is_volatile, is_heavy]]) => ({
    name,
    input_type,
    output_type,
    is_volatile,
    is_heavy,
  }));

/** Parameters are in a header, or, of changes without input, in the body. */
function parametersOf(
  command: Command,
  request: IncomingMessage,
  body: string,
): { parameters: Parameters; format: string } {
  const [input, , isVolatile] = commands[command];
  const header = request.headers['x-yt-parameters'];
  const headerFormat = String(request.headers['x-yt-header-format'] ?? 'json');
  const inBody = isVolatile && input === 'null';
  const text = inBody ? body : String(header ?? '');
  const isYson = inBody ? /yson/.test(String(request.headers['content-type'])) : /yson/.test(headerFormat);
  const parameters = (text.trim() === '' ? {} : isYson ? readYson(text) : JSON.parse(text)) as Parameters;
  const asked = parameters.output_format;
  const named = isAttributed(asked) ? asked.$value : asked;
  const accepted = String(request.headers['x-yt-output-format'] ?? request.headers.accept ?? '');
  return {
    parameters,
    format: typeof named === 'string' ? named : accepted.includes('yson') ? 'yson' : 'json',
  };
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function sendJson(response: ServerResponse, status: number, value: Value): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
