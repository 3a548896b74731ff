import { quoted } from '../field.js';
import type { Problems } from '../problems.js';
import type { Properties, Property } from './properties.js';

/** YARN's keys that are read here, and the scheduler's keys that have no meaning for Curtail. */
export const scheduler = 'yarn.scheduler.capacity.';
export const preemption = 'yarn.resourcemanager.monitor.capacity.preemption.';
export const inQueue = `${preemption}intra-queue-preemption.`;
export const monitorEnabled = 'yarn.resourcemanager.scheduler.monitor.enable';
/** Of yarn-site.xml: which scheduler YARN runs, and so whether it reads capacity-scheduler.xml. */
export const schedulerClass = 'yarn.resourcemanager.scheduler.class';
export const minimumAllocation = 'yarn.scheduler.minimum-allocation-';

/** Keys of yarn-site.xml about node labels: whether there are any, and those that containers get by default. */
export const labelsEnabled = 'yarn.node-labels.enabled';
export const labelExpressions = [
  'yarn.node-labels.am.default-node-label-expression',
  `${scheduler}default-node-label-expression`,
];

/** Curtail's own key of a queue, inherited: how long allocations may stay after its maximum capacity was lowered. */
export const delayKey = 'quota-preemption-delay';

/** Keys of preemption that an administrator may expect to have an effect, but that have none. */
export const withoutEffect = [
  `${preemption}natural_termination_factor`,
  `${preemption}max_ignored_over_capacity`,
  `${preemption}conservative-drf`,
  `${preemption}select_based_on_reserved_containers`,
  `${preemption}preemption-to-balance-queue-before-kill.enabled`,
  `${scheduler}lazy-preemption-enabled`,
];

/** Further keys of the scheduler, after `yarn.scheduler.capacity.`: a name, or a prefix of names. */
export const ofTheScheduler =
  /^(application\.fail-fast|max-parallel-apps|maximum-(am-resource-percent|applications|parallel-apps)|node-locality-delay|rack-locality-(additional-delay|full-reset)|queue-mappings?(-override\.enable)?|mapping-rule-.*|workflow-priority-mappings.*|per-node-heartbeat\..*|schedule-asynchronously\..*|legacy-queue-mode\.enabled|multi-node-.*|offswitch-.*|reservations?-.*|skip-allocate-.*|user\..*|user-metrics\.enable|global-queue-max-application|maximum-allocation-(mb|vcores))$/;

/** Further keys of a queue, after its path. */
export const ofAQueue =
  /^(state|acl_.*|acl-.*|priority|default-.*|maximum-(am-resource-percent|applications|application-lifetime|allocation.*|parallel-apps)|max-parallel-apps|accessible-node-labels(\..*)?|reservable|reservation-.*|instantaneous-max-capacity|average-capacity|show-reservations-as-queues|auto-.*|leaf-queue-template\..*|user-settings\..*\.max-parallel-apps|ordering-policy\..*|multi-node-sorting\..*|config\..*|allow-zero-capacity-sum)$/;

/** The properties of a configuration; each reader takes those it understands, and the remaining ones are unknown. */
export class Keys {
  readonly #taken = new Set<string>();
  readonly #unreadable = new Set<string>();
  readonly #userWeights: ReturnType<typeof userWeightKeys>;

  constructor(
    private readonly properties: Properties,
    readonly problems: Problems,
  ) {
    this.#userWeights = userWeightKeys(properties.keys());
  }

  /** Names, in the order of the text. */
  names(): IterableIterator<string> {
    return this.properties.keys();
  }

  /** Keys with users' weights at a queue. */
  userWeights(writtenPath: string): readonly { key: string; user: string }[] {
    return this.#userWeights.get(writtenPath) ?? [];
  }

  isTaken(name: string): boolean {
    return this.#taken.has(name);
  }

  /**
   * Whether a key that was taken has no value that counts: it has two, a variable, or one of the wrong form. A problem says so, and what
   * its absence would mean must not become a second one.
   */
  isUnreadable(name: string): boolean {
    return this.#unreadable.has(name);
  }

  /** An error about the value of a key, which then counts as unreadable. */
  refuse(name: string, message: string): undefined {
    this.#unreadable.add(name);
    this.problems.error(name, message, this.properties.get(name) ?? {});
    return undefined;
  }

  get(name: string): Property | undefined {
    return this.properties.get(name);
  }

  /** An empty value counts as absent, as in Hadoop. Variables would be resolved by Hadoop from elsewhere: they are refused. */
  take(name: string): Property | undefined {
    const property = this.properties.get(name);
    if (property === undefined) return undefined;
    this.#taken.add(name);
    if (property.isAmbiguous) {
      this.#unreadable.add(name);
      return undefined;
    }
    if (/\$\{[^}]*\}/.test(property.value))
      return this.refuse(name, `${quoted(property.value)}: variables are not expanded; write the value`);
    return property.value === '' ? undefined : property;
  }

  truth(name: string): boolean | undefined {
    const property = this.take(name);
    if (property === undefined) return undefined;
    const word = property.value.toLowerCase();
    if (word === 'true' || word === 'false') return word === 'true';
    return this.refuse(name, `write true or false, not ${quoted(property.value)}`);
  }

  /** A plain decimal, possibly negative; the caller checks its range. */
  number(name: string): number | undefined {
    const property = this.take(name);
    if (property === undefined) return undefined;
    if (/^-?\d{1,15}(\.\d{1,12})?$/.test(property.value)) return Number(property.value);
    return this.refuse(name, `write a number such as 25 or 0.2, not ${quoted(property.value)}`);
  }

  /** @param isRight checks a present number, with the description of the expected range. */
  numberThat(name: string, isRight: (number: number) => boolean, wanted: string): number | undefined {
    const number = this.number(name);
    if (number === undefined || isRight(number)) return number;
    return this.refuse(name, `write ${wanted}, not ${quoted(this.properties.get(name)?.value ?? '')}`);
  }
}

/** A key `….user-settings.<user>.weight`; names of users may contain dots. */
const pattern = new RegExp(`^${scheduler.replaceAll('.', '\\.')}(.+?)\\.user-settings\\.(.+)\\.weight$`);

/** Keys with users' weights, by the path of their queue as written. */
function userWeightKeys(names: Iterable<string>): ReadonlyMap<string, { key: string; user: string }[]> {
  const keys = new Map<string, { key: string; user: string }[]>();
  for (const key of names) {
    const [, path, user] = pattern.exec(key) ?? [];
    if (path === undefined || user === undefined) continue;
    const there = keys.get(path);
    if (there === undefined) keys.set(path, [{ key, user }]);
    else there.push({ key, user });
  }
  return keys;
}
