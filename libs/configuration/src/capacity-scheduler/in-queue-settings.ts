import { quoted } from '../field.js';
import { checkSettings, configuredPolicies, type PartitionPolicies } from '../policies.js';
import { inQueue, type Keys, minimumAllocation, monitorEnabled, preemption, scheduler } from './keys.js';

const mebibyte = 1024 * 1024;

const flags = {
  enabled: `${inQueue}enabled`,
  conservativeDrf: `${inQueue}conservative-drf`,
  observeOnly: `${preemption}observe_only`,
};
const numbers = {
  maxAllowableLimit: `${inQueue}max-allowable-limit`,
  minimumThreshold: `${inQueue}minimum-threshold`,
  totalPreemptionPerRound: `${preemption}total_preemption_per_round`,
  maxWaitBeforeKill: `${preemption}max_wait_before_kill`,
  monitoringInterval: `${preemption}monitoring_interval`,
};
const orderPolicy = `${inQueue}preemption-order-policy`;
const calculator = `${scheduler}resource-calculator`;

/** The policy of in-queue preemption, the only one of YARN that this format sets. */
const policy = 'intra-queue';

/**
 * In-queue preemption with its settings in a configuration of YARN: only those that are set, except for the smallest allocation, whose
 * default is YARN's. docs/reference/configuration.md, "Settings of YARN"
 *
 * @param mayRun false: the settings are checked, and the policy does not run.
 */
export function readInQueuePolicy(keys: Keys, mayRun: boolean): PartitionPolicies {
  const settings: Record<string, unknown> = {};
  for (const [setting, key] of Object.entries(flags)) settings[setting] = keys.truth(key);
  for (const [setting, key] of Object.entries(numbers)) settings[setting] = keys.number(key);
  settings.preemptionOrderPolicy = keys.take(orderPolicy)?.value;
  settings.resourceCalculator = readCalculator(keys);
  settings.minimumAllocation = {
    memory: wholeNumber(keys, `${minimumAllocation}mb`, 1024) * mebibyte,
    vcore: wholeNumber(keys, `${minimumAllocation}vcores`, 1) * 1000,
  };
  // Without its monitor the scheduler preempts nothing, whatever the other settings are.
  if (keys.truth(monitorEnabled) === false) settings.enabled = false;
  const isUnreadable = [flags.enabled, monitorEnabled].some((key) => keys.isUnreadable(key));
  if (settings.enabled === undefined && mayRun && !isUnreadable) {
    const message =
      'is not set, so Curtail turns in-queue preemption on, which YARN leaves off; write false to keep it off, or true';
    keys.problems.warning('preemption-by-default', flags.enabled, message, {});
  }
  const written = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  const keyOf: Record<string, string> = {
    ...flags,
    ...numbers,
    preemptionOrderPolicy: orderPolicy,
    resourceCalculator: calculator,
    minimumAllocation: `${minimumAllocation}mb`,
  };
  checkSettings(configuredPolicies.of(policy), written, keys.problems, (setting) => {
    const key = keyOf[setting] ?? '';
    return { path: key, place: keys.get(key) ?? {} };
  });
  return mayRun ? { [policy]: written } : {};
}

/** `org.apache.hadoop.yarn.util.resource.DominantResourceCalculator`, with or without its package. */
function readCalculator(keys: Keys): 'default' | 'dominant' | undefined {
  const property = keys.take(calculator);
  const name = property?.value.split('.').at(-1);
  if (property === undefined || name === 'DefaultResourceCalculator') return property && 'default';
  if (name === 'DominantResourceCalculator') return 'dominant';
  const message = `${quoted(property.value)} is not known; write a DefaultResourceCalculator or a DominantResourceCalculator`;
  keys.problems.error(calculator, message, property);
  return undefined;
}

function wholeNumber(keys: Keys, key: string, otherwise: number): number {
  const isRight = (number: number) => Number.isInteger(number) && number >= 0 && number <= 2 ** 32;
  return keys.numberThat(key, isRight, 'a whole number, at least 0') ?? otherwise;
}
