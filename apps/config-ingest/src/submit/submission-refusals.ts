import type { DataSource } from 'typeorm';
import { clusterOfPartition } from '#clusters';
import type { ConfigurationResult } from '#configuration';
import { counted, shownCluster } from '#contracts';
import type { ConfigurationError } from '#contracts/api';
import { ProblemException, tagOf } from '#platform';
import type { VersionConflict } from './expected-version.js';

export function conflict(partition: string, { version, message }: VersionConflict): ProblemException {
  return new ProblemException(
    {
      code: 'configuration-changed',
      title: 'Another configuration is in force',
      status: 412,
      detail: `${message} Nothing was changed.`,
      remedy: `Read the configuration in force again (curtail export --partition ${partition}), and send your change of it.`,
    },
    { ETag: tagOf(version) },
  );
}

export type RefusedConfiguration = Pick<ConfigurationResult, 'errors' | 'allowUnknownHelps'>;

/** The refusal of a configuration, with all its problems. */
export function refusalOf({ errors, allowUnknownHelps }: RefusedConfiguration): ProblemException {
  return new ProblemException({
    code: 'configuration-refused',
    title: 'The configuration is refused',
    status: 422,
    detail: `It has ${counted(errors.length, 'error')}; the configuration in force stays as it is.`,
    remedy: allowUnknownHelps
      ? `Correct what is listed and send the whole configuration again. If the scheduler knows the unknown keys, allow them: ?allowUnknown=true, or curtail apply --allow-unknown.`
      : 'Correct what is listed and send the whole configuration again.',
    errors,
  });
}

/** The quotas of one cluster must not be enforced on the allocations of another. */
export async function otherCluster(
  db: DataSource,
  partition: string,
  cluster: string | undefined,
): Promise<ConfigurationError | undefined> {
  const known = cluster === undefined ? undefined : await clusterOfPartition(db, partition);
  if (known === undefined || known === cluster) return undefined;
  const message =
    `partition ${partition} is cluster ${shownCluster(known)}, and this configuration comes from cluster ${shownCluster(cluster ?? '')}: give each cluster a ` +
    `partition of its own (a pool tree of YTsaurus names its partition: a Curtail of its own), or let this one take its place: stop the agents of the other one, run curtail inventory reset --partition ${partition}, ` +
    'then restart its agents';
  return { path: 'partitions', message };
}
