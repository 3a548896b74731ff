import { describe, expect, it } from '@jest/globals';
import { namesWanted } from './names-wanted.js';

const wanted = (line: string) => {
  const { kind, prefix, option } = namesWanted(line.split(' ')) ?? {};
  return kind && [kind, prefix, ...(option ? [option] : [])];
};

describe('the names that complete a line', () => {
  it.each([
    ['get queues ', ['queue', '']],
    ['get queue root.te', ['queue', 'root.te']],
    ['get -o wide enforcements e-9', ['enforcement', 'e-9']],
    ['explain allocation a', ['allocation', 'a']],
    ['approve e-', ['enforcement', 'e-']],
    ['settings --set miss=5 root.', ['queue', 'root.']],
    ['enforce root.', ['queue', 'root.']],
    ['get enforcements --queue root.', ['queue', 'root.', 'queue']],
    ['get events --user ann --enforcement e-', ['enforcement', 'e-', 'enforcement']],
    ['stop --queue root.a --partition ', ['partition', '', 'partition']],
  ])('of "%s"', (line, names) => expect(wanted(line)).toEqual(names));

  it.each(['', 'ge', 'get ', 'get que', 'get queues root.a ', 'get events 1', 'apply -f ', 'approve e-1 '])(
    'are none for "%s"',
    (line) => expect(wanted(line)).toBeUndefined(),
  );

  it('are those of the partition of the line, or else of the environment', () => {
    const partition = (line: string, byDefault?: string) =>
      namesWanted(line.split(' '), byDefault)?.partition;
    expect(partition('get queues --partition gpu ')).toBe('gpu');
    expect(partition('get queues ', 'cpu')).toBe('cpu');
    expect(partition('get queues ')).toBe('default');
  });
});
