import { configurationLimits, freezeProperty } from '#contracts';
import { at, describe, type Field, isNull, quoted, truthOf } from './field.js';
import { type Entries, entriesOf, itemsOf } from './keys.js';
import { warnOfMisspeltProperties } from './misspelt-properties.js';
import type { Problems } from './problems.js';
import { readCare } from './read-care.js';
import type { CheckWindow } from './read-freezes.js';
import { readLimits } from './read-neighbours.js';
import { originOf, readDelay, readFieldAmounts } from './read-resources.js';
import type { Amounts, Origin, QueueTree } from './tree.js';

/** Each check of a run reads those of its partition. */
export const mostConfiguredFreezes = 100;
const queueName = /^[a-zA-Z0-9_:#/@-]{1,64}$/;

/** Reads queues and everything below them; counts them over the whole configuration. */
export class QueueReader {
  #count = 0;
  #freezes = 0;
  /** The types of child templates, which appear in no queue of the tree. */
  readonly templates: Amounts[] = [];

  constructor(
    private readonly problems: Problems,
    private readonly checkWindow?: CheckWindow,
  ) {}

  /** The queues of a list, each under its parent's path. */
  siblings(field: Field | undefined, path: string, parentPath: string): QueueTree[] {
    const queues: QueueTree[] = [];
    const seen = new Map<string, string>();
    for (const [index, item] of itemsOf(field, path, this.problems).entries()) {
      const itemPath = `${path}[${index}]`;
      if (++this.#count > configurationLimits.queues) {
        if (this.#count === configurationLimits.queues + 1) {
          this.problems.error(itemPath, `more than ${configurationLimits.queues} queues`, item);
        }
        return queues;
      }
      const queue = this.#queue(item, itemPath, parentPath, seen);
      if (queue !== undefined) queues.push(queue);
    }
    return queues;
  }

  /** One queue at a given path, for the root that a partition names itself. */
  queue(field: Field, path: string, queuePath: string): QueueTree | undefined {
    this.#count++;
    const entries = this.#entries(field, path);
    return entries && this.#rest(entries, field, path, queuePath);
  }

  /** The entry of one queue, whose name may occur once more beside it. */
  entry(field: Field, path: string, parentPath: string): QueueTree | undefined {
    return this.#queue(field, path, parentPath, new Map());
  }

  #queue(field: Field, path: string, parentPath: string, seen: Map<string, string>): QueueTree | undefined {
    const entries = this.#entries(field, path);
    if (entries === undefined) return undefined;
    const name = this.#name(entries, field, path, seen);
    // Everything below a queue without a usable name is still read: it may have further problems.
    return this.#rest(entries, field, path, `${parentPath}.${name}`);
  }

  #entries(field: Field, path: string): Entries | undefined {
    if (isNull(field)) {
      this.problems.error(path, 'a queue is expected here; write a mapping with its `name`', field);
      return undefined;
    }
    return entriesOf(field, path, 'queue', this.problems);
  }

  #name(entries: Entries, queue: Field, path: string, seen: Map<string, string>): string {
    const field = entries.get('name')?.value;
    const namePath = at(path, 'name');
    if (field === undefined || isNull(field)) {
      this.problems.error(namePath, 'a queue has a name; write one', field ?? queue);
      return '';
    }
    if (field.kind !== 'scalar' || !queueName.test(field.text)) {
      const rule = '1 to 64 of the characters a-z A-Z 0-9 _ : # / @ -';
      this.problems.error(namePath, `a queue name has ${rule}, not ${describe(field)}`, field);
      return '';
    }
    const name = field.text.toLowerCase();
    const other = seen.get(name);
    if (other !== undefined) {
      const message = `${quoted(field.text)} occurs twice among these queues (also ${other}); case does not count`;
      this.problems.error(namePath, message, field);
    } else {
      seen.set(name, path);
    }
    return name;
  }

  #rest(entries: Entries, field: Field, path: string, queuePath: string): QueueTree {
    const { problems } = this;
    const here: Origin = originOf(field, path, { path });
    const value = (key: string) => entries.get(key)?.value;
    const resourcesPath = at(path, 'resources');
    const resources = entriesOf(value('resources'), resourcesPath, 'resources', problems) ?? new Map();
    const propertiesPath = at(path, 'properties');
    const properties = entriesOf(value('properties'), propertiesPath, 'any', problems) ?? new Map();
    const maxPath = at(resourcesPath, 'max');
    const guaranteedPath = at(resourcesPath, 'guaranteed');
    const { delay, origin: delayOrigin } = readDelay(
      resources,
      properties,
      { resources: resourcesPath, properties: propertiesPath },
      problems,
    );
    const [limits, template] = [value('limits'), value('childtemplate')];
    // Most queues have neither, and there may be a hundred thousand.
    if (limits) readLimits(limits, at(path, 'limits'), problems);
    if (template) this.#template(template, at(path, 'childtemplate'), queuePath);
    const flag = this.#flag(value('parent'), at(path, 'parent'));
    const own = {
      path: queuePath,
      field: path,
      origin: here,
      max: readFieldAmounts(resources.get('max')?.value, maxPath, problems),
      maxOrigin: originOf(resources.get('max')?.value, maxPath, here),
      guaranteed: readFieldAmounts(resources.get('guaranteed')?.value, guaranteedPath, problems),
      guaranteedOrigin: originOf(resources.get('guaranteed')?.value, guaranteedPath, here),
      ...this.#care(properties, { path: propertiesPath, queue: queuePath }),
      delay,
      delayOrigin,
      maxApplications: this.#wholeNumber(value('maxapplications'), at(path, 'maxapplications')),
      maxApplicationsOrigin: originOf(value('maxapplications'), at(path, 'maxapplications'), here),
    };
    const children = this.siblings(value('queues'), at(path, 'queues'), queuePath);
    return { ...own, parent: flag || children.length > 0, children };
  }

  #care(properties: Entries, of: { path: string; queue: string }): ReturnType<typeof readCare> {
    warnOfMisspeltProperties(properties, of.path, this.problems);
    const care = readCare(properties, of, this.problems, this.checkWindow);
    const freezes = care.properties?.[freezeProperty] as readonly unknown[] | undefined;
    if (freezes !== undefined) {
      const before = this.#freezes;
      this.#freezes += freezes.length;
      if (before <= mostConfiguredFreezes && this.#freezes > mostConfiguredFreezes) {
        const place = properties.get(freezeProperty)?.value ?? {};
        this.problems.error(
          at(of.path, freezeProperty),
          `more than ${mostConfiguredFreezes} freezes in one configuration`,
          place,
        );
      }
    }
    return care;
  }

  /** The initial values of queues created later: they have to be readable, and have no effect on a clock (§3.7). */
  #template(field: Field, path: string, above: string): void {
    const entries = entriesOf(field, path, 'childTemplate', this.problems);
    const value = (key: string) => entries?.get(key)?.value;
    const paths = { resources: at(path, 'resources'), properties: at(path, 'properties') };
    const resources = entriesOf(value('resources'), paths.resources, 'resources', this.problems);
    const properties = entriesOf(value('properties'), paths.properties, 'any', this.problems);
    for (const key of ['max', 'guaranteed']) {
      const keyPath = at(paths.resources, key);
      this.templates.push(readFieldAmounts(resources?.get(key)?.value, keyPath, this.problems));
    }
    readDelay(resources ?? new Map(), properties ?? new Map(), paths, this.problems);
    warnOfMisspeltProperties(properties ?? new Map(), paths.properties, this.problems);
    readCare(properties ?? new Map(), { path: paths.properties, queue: `${above}.*` }, this.problems);
    this.#wholeNumber(value('maxapplications'), at(path, 'maxapplications'));
  }

  #flag(field: Field | undefined, path: string): boolean {
    if (field === undefined || isNull(field)) return false;
    const truth = truthOf(field);
    if (truth !== undefined) return truth;
    this.problems.error(path, `write true or false, not ${describe(field)}`, field);
    return false;
  }

  #wholeNumber(field: Field | undefined, path: string): number | 'unreadable' {
    if (field === undefined || isNull(field)) return 0;
    const count = field.kind === 'scalar' && /^\d+$/.test(field.text) ? Number(field.text) : undefined;
    if (count !== undefined && count < 2 ** 64) return count;
    this.problems.error(path, `write a whole number, at least 0 (none), not ${describe(field)}`, field);
    return 'unreadable';
  }
}
