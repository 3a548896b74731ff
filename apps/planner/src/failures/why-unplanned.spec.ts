import { expect, it } from '@jest/globals';
import { InventoryUnknown, NodesUnknown, TooManyAllocations } from '#clusters';
import { InputError } from '#contracts';
import { TooManyVictims, whyUnplanned } from './why-unplanned.js';

const unread = {
  code: 'reports-unread',
  message: '3 reports are unread',
  remedy: 'start config-ingest',
} as const;

it.each<[string, InputError, string, RegExp]>([
  [
    'reports that are not applied yet',
    new InventoryUnknown(unread),
    'reports-unread',
    /Start config-ingest$/,
  ],
  [
    'a scheduler that is silent',
    new InventoryUnknown({ ...unread, code: 'silent', message: 'it is silent' }),
    'silent',
    /^inventory: it is silent; nothing is evicted by it\. /,
  ],
  [
    'a cluster without known nodes',
    new NodesUnknown('root.a'),
    'nodes-unknown',
    /share of root\.a .*; wait until/,
  ],
  [
    'too many allocations',
    new TooManyAllocations('p', 'root.a', 5),
    'too-large',
    /raise CURTAIL_MOST_ALLOCATIONS/,
  ],
  ['too many victims', new TooManyVictims('root.a', 6, 5), 'too-large', /raise CURTAIL_MOST_ALLOCATIONS/],
  [
    'a setting',
    new InputError('settings.ownerBudgets', 'is no budget'),
    'settings-unusable',
    /^settings\.ownerBudgets: is no budget; change this setting$/,
  ],
  [
    'a queue that has gone',
    new InputError('trigger.queue', 'the queue "root.a" is not among the queues of the snapshot'),
    'queue-unknown',
    /if it was removed, nothing has to be done/,
  ],
  [
    'a queue that contradicts another',
    new InputError('queues[1].max', 'must be more'),
    'snapshot-unusable',
    /^queues\[1\]\.max: must be more; correct the configuration in force$/,
  ],
  [
    'an allocation that contradicts the queues',
    new InputError('allocations[0].queue', 'root.a has children'),
    'snapshot-unusable',
    /; correct what the scheduler reports/,
  ],
])(
  'the reason for no plan tells %s by a code of its own, with the next step',
  (_case, error, code, message) => {
    expect(whyUnplanned(error)).toEqual({ code, message: expect.stringMatching(message) });
  },
);
