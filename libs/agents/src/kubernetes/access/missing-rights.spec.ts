import { describe, expect, it } from '@jest/globals';
import { calls, callsFor } from './calls.js';
import { assertDeclared, callOf } from './missing-rights.js';

describe('the calls of an agent', () => {
  it.each([
    ['GET', '/api/v1/pods', false, '', 'pods', 'list', undefined],
    ['GET', '/api/v1/pods', true, '', 'pods', 'watch', undefined],
    ['GET', '/api/v1/namespaces', false, '', 'namespaces', 'list', undefined],
    ['GET', '/api/v1/namespaces/a', false, '', 'namespaces', 'get', undefined],
    ['GET', '/api/v1/namespaces/a/pods/b', false, '', 'pods', 'get', 'a'],
    ['POST', '/api/v1/namespaces/a/pods/b/eviction', false, '', 'pods/eviction', 'create', 'a'],
    ['PATCH', '/api/v1/namespaces/a/pods/b', false, '', 'pods', 'patch', 'a'],
    ['POST', '/apis/events.k8s.io/v1/namespaces/a/events', false, 'events.k8s.io', 'events', 'create', 'a'],
    [
      'PUT',
      '/apis/coordination.k8s.io/v1/namespaces/a/leases/b',
      false,
      'coordination.k8s.io',
      'leases',
      'update',
      'a',
    ],
    ['DELETE', '/api/v1/namespaces/a/pods/b', false, '', 'pods', 'delete', 'a'],
  ])(
    '%s %s (watch: %s) is what the authorizer sees',
    (method, path, isWatch, group, resource, verb, namespace) => {
      expect(callOf(method, path, isWatch)).toEqual({ group, resource, verb, namespace });
    },
  );

  it.each([
    ['DELETE', '/api/v1/namespaces/a/pods/b'],
    ['GET', '/api/v1/secrets'],
    ['PUT', '/api/v1/namespaces/a/pods/b'],
    ['POST', '/api/v1/namespaces/a/pods/b/exec'],
    ['GET', '/logs/kube.log'],
  ])('%s %s is refused, for no rule has it', (method, path) => {
    expect(() => assertDeclared(method, path, false)).toThrow(
      `${method} ${path} is not among the calls that an agent may make`,
    );
  });

  it('are refused where their purpose is not given', () => {
    const eviction = ['POST', '/api/v1/namespaces/a/pods/b/eviction'] as const;
    expect(() => assertDeclared(...eviction, false)).not.toThrow();
    expect(() => assertDeclared(...eviction, false, callsFor(['observe']))).toThrow('not among the calls');
  });

  it('only read if no pod is to be evicted', () => {
    const verbs = new Set(callsFor(['observe', 'namespaces', 'yunikorn']).flatMap((rule) => rule.verbs));
    expect([...verbs].filter((verb) => !['get', 'list', 'watch'].includes(verb))).toEqual([]);
  });

  it('stand in the table once each', () => {
    const keys = calls.flatMap(({ group, resource, verbs, scope }) =>
      verbs.map((verb) => `${verb} ${group} ${resource} ${scope}`),
    );
    expect(keys).toEqual([...new Set(keys)]);
  });
});
