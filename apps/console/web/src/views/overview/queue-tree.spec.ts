import { expect, it } from '@jest/globals';
import { treeMove, treeOf, visibleRows } from './queue-tree.js';

const tree = treeOf(['root.b', 'root', 'root.a.x', 'root.a', 'root.a.y', 'root.b.z.deep']);
const shown = (open: string[], find = '') =>
  visibleRows(tree, new Set(open), find).map(
    ({ path, depth, isOpen }) => `${'-'.repeat(depth)}${path}${isOpen ? '' : '+'}`,
  );

it('shows the roots, and the children of open queues by name', () => {
  expect(shown([])).toEqual(['root+']);
  expect(shown(['root', 'root.a'])).toEqual(['root', '-root.a', '--root.a.x+', '--root.a.y+', '-root.b+']);
});

it('adds a parent that is missing', () => {
  expect(shown(['root', 'root.b', 'root.b.z'])).toContain('---root.b.z.deep+');
});

it('finds queues in any case and shows where they are, whatever is open', () => {
  expect(shown([], 'DEEP')).toEqual(['root', '-root.b', '--root.b.z', '---root.b.z.deep+']);
  expect(shown([], 'nothing')).toEqual([]);
});

it('counts children that a search hides', () => {
  expect(visibleRows(tree, new Set(), 'root.a.x').map(({ path, children }) => [path, children])).toEqual([
    ['root', 2],
    ['root.a', 2],
    ['root.a.x', 0],
  ]);
});

it.each([
  ['ArrowDown', 'root', { active: 'root.a' }],
  ['ArrowDown', 'root.b', undefined],
  ['ArrowUp', 'root.b', { active: 'root.a.y' }],
  ['Home', 'root.b', { active: 'root' }],
  ['End', undefined, { active: 'root.b' }],
  ['ArrowRight', 'root.a', { active: 'root.a.x' }],
  ['ArrowRight', 'root.b', { toggle: 'root.b' }],
  ['ArrowRight', 'root.a.x', undefined],
  ['ArrowLeft', 'root.a', { toggle: 'root.a' }],
  ['ArrowLeft', 'root.a.y', { active: 'root.a' }],
  ['x', 'root', undefined],
])('with %s at %s moves to %j', (key, active, move) => {
  expect(treeMove(visibleRows(tree, new Set(['root', 'root.a'])), active, key)).toEqual(move);
});
