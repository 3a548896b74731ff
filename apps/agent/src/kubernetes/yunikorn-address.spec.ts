import { expect, it } from '@jest/globals';
import { readSettings } from '#platform';
import { kubernetesSettings } from '#runtime';
import { openCluster } from './open-kubernetes.js';

const open = (env: Record<string, string>) =>
  openCluster(readSettings(kubernetesSettings, env), {
    api: {} as never,
    partition: 'default',
    mode: () => 'observe',
    now: () => new Date(),
    log: {} as never,
    onTrouble: () => {},
  });

it('an address of YuniKorn is refused where queues come from namespaces', () => {
  expect(() => open({ CURTAIL_YUNIKORN_URL: 'http://127.0.0.1:9080' })).toThrow(
    /CURTAIL_YUNIKORN_URL is set, but queues come from namespaces: take them from YuniKorn \(--queues yunikorn,/,
  );
});
