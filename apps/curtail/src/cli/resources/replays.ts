import type { Replay } from '#api-client';
import { agoText, clockText } from '../output/time.js';
import { ServerError } from '../server/server-error.js';
import { listedAt } from './listed.js';
import type { ResourceKind } from './resource-kind.js';

const tones = {
  running: 'doubtful',
  stopped: 'doubtful',
  interrupted: 'doubtful',
  failed: 'bad',
  done: 'good',
} as const;

export const replays: ResourceKind<Replay> = {
  kind: 'replay',
  plural: 'replays',
  list: listedAt('/v1/replays', 'state', 'since', 'limit', 'after'),
  shortens: 'replay',
  dated: true,
  nameOf: ({ replay }) => replay,
  columns: [
    { title: 'REPLAY', holds: 'ids', cell: ({ replay }) => replay },
    {
      title: 'INTO',
      cell: ({ into, request }) => (request.topic === undefined ? into : `${into} ${request.topic}`),
    },
    { title: 'STATE', cell: ({ state }) => ({ text: state, tone: tones[state] }) },
    { title: 'DONE', align: 'right', cell: ({ done, of }) => `${done} of ${of}` },
    { title: 'BY', holds: 'paths', cell: ({ by }) => by },
    { title: 'STARTED', holds: 'times', cell: ({ startedAt }, now) => agoText(startedAt, now) },
    { title: 'CHANGED', holds: 'times', cell: ({ updatedAt }, now) => agoText(updatedAt, now) },
    { title: 'ENDED', wide: true, cell: ({ endedAt }) => clockText(endedAt) },
    { title: 'HOST', wide: true, cell: ({ host }) => host },
    { title: 'MESSAGE', wraps: 'words', cell: ({ message }) => message ?? '-' },
  ],
  everywhere: true,
  empty: 'no replay has run yet',
  one: async (client, name, _filter, signal) => {
    try {
      return await client.get('/v1/replays/{replay}', { params: { path: { replay: name } }, signal });
    } catch (error) {
      if (error instanceof ServerError && error.problem.status === 404) return undefined;
      throw error;
    }
  },
  below: ({ result }) => (result ? ['', ...JSON.stringify(result, null, 2).split('\n')] : []),
};
