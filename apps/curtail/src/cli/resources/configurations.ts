import type { ConfigurationVersion, ConfigurationVersionDetail } from '#api-client';
import { agoText, clockText } from '../output/time.js';
import { changeText, versionLines } from '../output/version-changes.js';
import { ServerError } from '../server/server-error.js';
import { listedAt } from './listed.js';
import type { ResourceKind } from './resource-kind.js';

/** Lists have a summary; a single version has its text and its changes too. */
type Version = ConfigurationVersion | ConfigurationVersionDetail;

/** The history of a partition's configuration, latest first. */
export const configurations: ResourceKind<Version> = {
  kind: 'configuration',
  plural: 'configurations',
  list: listedAt('/v1/partitions/{partition}/configurations', 'since', 'by', 'limit', 'after'),
  dated: true,
  nameOf: ({ version }) => String(version),
  columns: [
    { title: 'VERSION', align: 'right', cell: ({ version }) => String(version) },
    { title: 'APPLIED', holds: 'times', cell: ({ appliedAt }, now) => agoText(appliedAt, now) },
    { title: 'AT', wide: true, cell: ({ appliedAt }) => clockText(appliedAt) },
    { title: 'BY', wraps: 'words', cell: ({ by }) => by ?? '-' },
    { title: 'VIA', cell: ({ via }) => via ?? '-' },
    { title: 'SOURCE', wide: true, holds: 'paths', cell: ({ source }) => source ?? '-' },
    { title: 'SUBMISSION', wide: true, holds: 'ids', cell: ({ submission }) => submission ?? '-' },
    { title: 'CHANGES', wraps: 'words', cell: changeText },
    {
      title: 'NOTE',
      wraps: 'words',
      cell: ({ inForce, rolledBackTo, onlyQueue }) =>
        [
          ...(inForce ? ['in force'] : []),
          ...(onlyQueue === null ? [] : [`only ${onlyQueue}`]),
          ...(rolledBackTo === null ? [] : [`rolled back to version ${rolledBackTo}`]),
        ].join(', ') || '-',
    },
    { title: 'DIGEST', wide: true, cell: ({ digest }) => digest.slice(0, 12) },
  ],
  empty: 'no configurations: none was applied',
  whenEmpty: () => 'put one in force: curtail apply -f FILE',
  one: async (client, name, { partition }, signal) => {
    try {
      return await client.get('/v1/partitions/{partition}/configurations/{version}', {
        params: { path: { partition, version: name } },
        signal,
      });
    } catch (error) {
      if (error instanceof ServerError && error.problem.status === 404) return undefined;
      throw error;
    }
  },
  below: (version, invocation) => ('changes' in version ? ['', ...versionLines(version, invocation)] : []),
  next: ([first], place) =>
    first && first.previous !== null
      ? `compare two versions: curtail diff${place} ${first.previous} ${first.version}`
      : undefined,
};
