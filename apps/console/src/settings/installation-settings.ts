import {
  type PartitionSetting,
  readSettings,
  settingsOfAnswers,
  settingsOfPartitions,
  type settingsOfPlans,
  settingsOfRuns,
} from '#contracts';
import { isDefault, type SettingsOf, someOf } from '#platform';
import { appSettings } from '#runtime';
import type { InstallationSettings } from './effective-settings.js';

/** The settings of planner and executor that queues may have, too. The console shows its own values of them. */
export const installationSchema = someOf(
  appSettings,
  'policy',
  ...settingsOfRuns,
  ...settingsOfPartitions,
  ...settingsOfAnswers,
  'foresight',
);

export const INSTALLATION_SETTINGS = Symbol('InstallationSettings');

/** The values of this installation, and whether each is the built-in one. */
export function installationSettings(set: SettingsOf<typeof installationSchema>): InstallationSettings {
  const [policy, builtIn] = [readSettings(set.policy), readSettings({})];
  const ofPolicy = <K extends (typeof settingsOfPlans)[number]>(name: K) =>
    from(policy[name], policy[name] === builtIn[name]);
  const ofApp = (name: Exclude<keyof typeof installationSchema, 'policy'>) =>
    from(set[name], isDefault(installationSchema[name], set[name]));
  const optional = (name: PartitionSetting) => from(set[name] ?? null, set[name] === undefined);
  const { protect } = set.policy;
  return {
    miss: ofPolicy('miss'),
    fit: ofPolicy('fit'),
    guaranteedTypes: ofPolicy('guaranteedTypes'),
    ageFrom: ofPolicy('ageFrom'),
    disruptionBudgets: ofPolicy('disruptionBudgets'),
    ownerBudgets: from(policy.ownerBudgets, policy.ownerBudgets.length === 0),
    gangs: ofPolicy('gangs'),
    protect: from(protect ?? false, protect === undefined || protect === null),
    approveAboveVictims: ofApp('approveAboveVictims'),
    approveAbovePercent: ofApp('approveAbovePercent'),
    victimsPerSecond: ofApp('victimsPerSecond'),
    graceSeconds: ofApp('graceSeconds'),
    flapping: from(false, true),
    ceilingPerHour: optional('ceilingPerHour'),
    ceilingPerConfiguration: optional('ceilingPerConfiguration'),
    ceilingClusterPercent: optional('ceilingClusterPercent'),
    partitionVictimsPerSecond: optional('partitionVictimsPerSecond'),
    extensions: ofApp('extensions'),
    extensionSeconds: ofApp('extensionSeconds'),
    foresight: ofApp('foresight'),
  };
}

const from = (value: unknown, isBuiltIn: boolean) =>
  ({ value, from: isBuiltIn ? 'default' : 'environment' }) as const;
