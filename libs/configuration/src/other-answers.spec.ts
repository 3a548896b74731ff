import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from './read-configuration.js';

describe('a text without partitions', () => {
  it.each([
    ['{"scheduler": {"schedulerInfo": {"type": "capacityScheduler"}}}', '/ws/v1/cluster/scheduler-conf'],
    ['<?xml version="1.0"?><scheduler><schedulerInfo/></scheduler>', '/ws/v1/cluster/scheduler-conf'],
    ['{"RemoteException": {"message": "not supported"}}', 'this is an error that YARN answered'],
    ['{"config": {"Partitions": []}, "rmDiagnostics": {}, "partitions": []}', "jq '.config'"],
    ['{"queuename": "root", "children": []}', '/ws/v1/config'],
    ['[{"clusterId": "c", "name": "default"}]', '/ws/v1/config'],
    ['<allocations><queue name="a"/></allocations>', 'yarn fs2cs'],
    [
      'yunikornDefaults: {queues: {partitions: []}}\n',
      'yunikornDefaults of these Helm values has no text under queues.yaml',
    ],
    ['{"items": [1], "href": "x"}', 'begins with partitions, and this with "items", "href", so it is none'],
    ['{a: 1, b: 1, c: 1, d: 1, e: 1, f: 1}', '"a", "b", "c", "d", "e" and others'],
    ['queues: [{name: root}]', 'queues are those of a partition'],
    ['- {name: default, queues: []}', 'write partitions: above it'],
    ['partition: [{queues: []}]', 'unknown key: write partitions'],
  ])('has one error, which says what to give: %s', (text, message) => {
    const { errors, allowUnknownHelps } = readConfiguration(text);
    expect(errors.map((error) => error.message)).toEqual([expect.stringContaining(message)]);
    // Allowing unknown keys would lead to the next error.
    expect(allowUnknownHelps).toBe(false);
    expect(readConfiguration(text, { allowUnknown: true }).valid).toBe(false);
  });
});
