import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { withQuotas } from './with-quotas.js';

const text = readFileSync('examples/queues.yaml', 'utf8');

it('changes limits in place, and nothing else of the text', () => {
  const changed = withQuotas(text, 'default', { 'root.research': { memory: '120G', vcore: '30' } })!;
  const lines = text.split('\n');
  const others = changed.split('\n').filter((line, i) => line !== lines[i]);
  expect(others).toEqual(['                memory: 120G', '                vcore: 30']);
});

it('adds limits where there are none', () => {
  const made = withQuotas(
    'partitions:\n  - name: Default\n    queues: [{name: root, queues: [{name: A}]}]\n',
    'default',
    {
      'root.a': { memory: '1G' },
    },
  );
  expect(made).toContain('name: A, resources: { max: { memory: 1G } }');
});

it.each([
  ['an unknown queue', text, 'root.none'],
  ['another format', '<configuration/>', 'root.research'],
  ['a text that is no YAML', '{', 'root.research'],
])('cannot change %s', (_, of, queue) => {
  expect(withQuotas(of, 'default', { [queue]: { memory: '1G' } })).toBeUndefined();
});
