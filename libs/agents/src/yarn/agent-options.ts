import { readHadoopProperties } from '#configuration';
import { didYouMean, InputError } from '#contracts';

/** Names of the options of the agent itself, in the file of settings. */
const prefix = 'curtail.agent.';
const names = ['evict-application-masters', 'kill-applications'] as const;

/** The file of settings: keys that YARN has none for, and options of the agent itself. */
export interface YarnSettings {
  /** By name, for the configuration. */
  properties: ReadonlyMap<string, string>;
  /** Whether containers of application masters may be evicted, with which all containers of their attempt end. */
  evictsMasters: boolean;
  /** Whether an application is killed of which all containers are victims: by a signal alone, its master would be started again. */
  killsApplications: boolean;
}

export const noSettings: YarnSettings = {
  properties: new Map(),
  evictsMasters: false,
  killsApplications: false,
};

/**
 * Reads the file of settings, in a form of `capacity-scheduler.xml`.
 *
 * @throws InputError with the first problem, its line and its key.
 */
export function readYarnSettings(text: string): YarnSettings {
  const { properties, errors } = readHadoopProperties(text);
  const [wrong] = errors;
  if (wrong !== undefined) throw new InputError(wrong.path, wrong.message, wrong.line, wrong.column);
  const chosen = new Set<string>();
  const kept = new Map<string, string>();
  for (const { name, value } of properties) {
    if (!name.startsWith(prefix)) {
      kept.set(name, value);
      continue;
    }
    const option = name.slice(prefix.length);
    if (!(names as readonly string[]).includes(option)) {
      const known = names.map((one) => prefix + one);
      throw new InputError(
        name,
        `there is no such option; write ${known.join(', ')}${didYouMean(name, known)}`,
      );
    }
    if (value !== 'true' && value !== 'false') {
      throw new InputError(name, `write true or false, not ${JSON.stringify(value)}`);
    }
    if (value === 'true') chosen.add(option);
  }
  const killsApplications = chosen.has('kill-applications');
  const evictsMasters = chosen.has('evict-application-masters');
  if (killsApplications && !evictsMasters) {
    throw new InputError(
      `${prefix}kill-applications`,
      `masters are no victims, so no application can be one as a whole: set ${prefix}evict-application-masters to true, too`,
    );
  }
  return { properties: kept, evictsMasters, killsApplications };
}
