import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { keepConfiguration, SavedConfigurationMirror } from './saved-configuration.js';

const metadata = { name: 'yunikorn-configs', uid: 'u', resourceVersion: '7' };
const packed = (text: string) => gzipSync(text).toString('base64');
const saved = (content: object) => {
  const mirror = new SavedConfigurationMirror('yunikorn-configs', () => undefined);
  mirror.set(keepConfiguration({ metadata, ...content }));
  return mirror.configuration;
};
const plain = { 'queues.yaml': 'plain', 'night.yaml': 'night', 'log.level': 'INFO' };

describe('the configuration that the agent takes from the ConfigMap of YuniKorn', () => {
  it.each([
    [{ data: plain }, 'queues.yaml', 'plain'],
    [{ data: { ...plain, 'service.policyGroup': 'night' } }, 'night.yaml', 'night'],
    [{ data: plain, binaryData: { 'queues.yaml.gz': packed('packed') } }, 'queues.yaml.gz', 'packed'],
    [{ binaryData: { 'queues.yaml.GZ': packed('packed') } }, 'queues.yaml.GZ', 'packed'],
  ])('is that of YuniKorn: %j', (content, key, text) => {
    expect(saved(content)).toEqual({ name: 'yunikorn-configs', resourceVersion: '7', key, text });
  });

  it.each([
    {},
    { data: { 'log.level': 'INFO' } },
    { data: { ...plain, 'service.policyGroup': 'day' } },
    { data: plain, binaryData: { 'queues.yaml.gz': 'bm90IGd6aXA=' } },
    { data: plain, binaryData: { 'queues.yaml.zst': packed('packed') } },
  ])('is none where YuniKorn has none, or none that can be read: %j', (content) => {
    expect(saved(content)).toBeUndefined();
  });

  it('is all that is kept of it', () => {
    expect(keepConfiguration({ metadata, data: plain })).toEqual({
      metadata,
      data: { 'queues.yaml': 'plain' },
    });
  });
});
