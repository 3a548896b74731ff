import { expect, test } from '@jest/globals';
import { protectedNamespaces } from './parents.js';

test('protects the namespaces of the system and its own, whatever an administrator names', () => {
  const all = protectedNamespaces(['monitoring'], ['platform', undefined]);
  expect([...all].sort()).toEqual([
    'kube-node-lease',
    'kube-public',
    'kube-system',
    'monitoring',
    'platform',
  ]);
});
